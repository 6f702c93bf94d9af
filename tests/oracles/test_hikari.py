"""HikariCP replaces values that do not fit, and refuses a few."""

from __future__ import annotations

from pathlib import Path

import pytest

from oracles.asking import Answers, Oracle, Values, ask_all, cases, executable, fetched, ms

pytestmark = pytest.mark.oracle_heavy

#: Accepted is what is in force as it was set; 0 for connectionTimeout is set as the largest number, and counts as accepted.
_PROGRAM = """
import com.zaxxer.hikari.HikariConfig;
import java.util.*;
import java.util.regex.*;

public class Ask {
    public static void main(String[] arguments) throws Exception {
        String text = new String(System.in.readAllBytes());
        List<Boolean> answers = new ArrayList<>();
        Matcher row = Pattern.compile("\\\\[\\"[^\\"]*\\", *\\\\{([^}]*)\\\\}\\\\]").matcher(text);
        while (row.find()) answers.add(accepts(row.group(1)));
        System.out.println(answers);
    }

    static boolean accepts(String settings) throws Exception {
        HikariConfig config = new HikariConfig();
        config.setPoolName("oracle");
        config.setDataSourceClassName("none");
        config.setMinimumIdle(1);
        Map<String, Long> wanted = new TreeMap<>();
        Matcher one = Pattern.compile("\\"(\\\\w)(\\\\w*)\\": *(\\\\d+)").matcher(settings);
        while (one.find()) wanted.put(one.group(1).toUpperCase() + one.group(2), Long.parseLong(one.group(3)));
        try {
            for (var w : wanted.entrySet()) HikariConfig.class.getMethod("set" + w.getKey(), long.class).invoke(config, w.getValue());
        } catch (java.lang.reflect.InvocationTargetException error) {
            if (error.getCause() instanceof IllegalArgumentException) return false;
            throw error;
        }
        config.validate();
        for (var w : wanted.entrySet()) {
            long found = (Long) HikariConfig.class.getMethod("get" + w.getKey()).invoke(config);
            if (found != w.getValue() && !(w.getValue() == 0 && found == Integer.MAX_VALUE)) return false;
        }
        return true;
    }
}
"""


def _one(name: str, *texts: str) -> tuple[Values, ...]:
    return tuple({name: text} for text in texts)


LIFETIME = Oracle(
    name="a maxLifetime below 30 s becomes 30 min",
    accepted=_one("maxLifetime", "30s", "30001ms", "0s"),
    refused=_one("maxLifetime", "29999ms", "1ms"),
)

IDLE = Oracle(
    name="an idleTimeout below 10 s becomes 10 min",
    accepted=_one("idleTimeout", "10s", "10001ms", "0s"),
    refused=_one("idleTimeout", "9999ms"),
)

IDLE_IN_LIFETIME = Oracle(
    name="an idleTimeout within 1 s of maxLifetime or beyond is switched off",
    accepted=(
        {"idleTimeout": "58999ms", "maxLifetime": "60s"},
        {"idleTimeout": "59s", "maxLifetime": "60s"},
        {"idleTimeout": "600s", "maxLifetime": "0s"},
        {"idleTimeout": "0s", "maxLifetime": "60s"},
    ),
    refused=({"idleTimeout": "59001ms", "maxLifetime": "60s"}, {"idleTimeout": "59s", "maxLifetime": "59999ms"}),
)

CONNECTION = Oracle(
    name="a connectionTimeout below 250 ms is refused",
    accepted=_one("connectionTimeout", "250ms", "251ms", "0s"),
    refused=_one("connectionTimeout", "249ms"),
)

VALIDATION = Oracle(
    name="a validationTimeout below 250 ms is refused",
    accepted=_one("validationTimeout", "250ms", "251ms"),
    refused=_one("validationTimeout", "249ms"),
)

LEAK = Oracle(
    name="a leakDetectionThreshold below 2 s is switched off",
    accepted=_one("leakDetectionThreshold", "2s", "2001ms", "0s"),
    refused=_one("leakDetectionThreshold", "1999ms"),
)

LEAK_IN_LIFETIME = Oracle(
    name="a leakDetectionThreshold beyond maxLifetime is switched off",
    accepted=(
        {"leakDetectionThreshold": "59999ms", "maxLifetime": "60s"},
        {"leakDetectionThreshold": "60s", "maxLifetime": "60s"},
        {"leakDetectionThreshold": "60s", "maxLifetime": "0s"},
    ),
    refused=({"leakDetectionThreshold": "60001ms", "maxLifetime": "60s"},),
)

ORACLES = (LIFETIME, IDLE, IDLE_IN_LIFETIME, CONNECTION, VALIDATION, LEAK, LEAK_IN_LIFETIME)

APART = (
    Oracle(
        name="a validationTimeout beyond connectionTimeout is not looked at",
        accepted=({"validationTimeout": "5s", "connectionTimeout": "1s"},),
        refused=(),
    ),
)


@pytest.fixture(scope="module")
def answers(tmp_path_factory: pytest.TempPathFactory) -> Answers:
    jars = fetched("root/usr/share/java") or Path("/usr/share/java")
    path = [jars / name for name in ("HikariCP.jar", "slf4j-api.jar", "slf4j-nop.jar")]
    if not all(jar.exists() for jar in path):
        pytest.skip("HikariCP is not at hand")
    file = tmp_path_factory.mktemp("hikari") / "Ask.java"
    file.write_text(_PROGRAM)
    command = (executable("java"), "-cp", ":".join(map(str, path)), str(file))
    return ask_all(command, (*ORACLES, *APART), ms)


@pytest.mark.parametrize(("oracle", "values", "accepted"), cases((*ORACLES, *APART)))
def test_hikari_draws_the_line_there(answers: Answers, oracle: Oracle, values: Values, accepted: bool) -> None:
    assert answers[oracle.name, str(values)] is accepted
