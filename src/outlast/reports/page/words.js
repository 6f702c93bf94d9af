"use strict";
// The words for how rules stand, as rules.py and reports/wording.py have them.
(function (outlast) {
  const UNITS = { h: 3600n * 10n ** 9n, s: 10n ** 9n, ms: 10n ** 6n, us: 1000n, ns: 1n };
  const RATES = { s: 10n ** 9n, min: 60n * 10n ** 9n, h: 3600n * 10n ** 9n, d: 86400n * 10n ** 9n };
  const plural = (number, one, many) => (number === 1 ? one : many);

  /** How a rule stands; `told` is what judgedAt says of it. */
  outlast.stateOf = function (told) {
    if (told.missing !== null) return "no value";
    if (!told.applies && told.error === null) return "not applicable";
    if (!told.holds) return "BROKEN";
    return told.margin_kept ? "holds" : "margin missed";
  };

  /** How many rules are in which state, in one sentence without a full stop. */
  outlast.standing = function (states) {
    const count = (state) => states.filter((each) => each === state).length;
    const [broken, missed, idle, unknown] = ["BROKEN", "margin missed", "not applicable", "no value"].map(count);
    const all = `${states.length} ${plural(states.length, "rule", "rules")}`;
    const parts = [];
    if (broken) parts.push(`${broken} of ${all} ${plural(broken, "is", "are")} broken`);
    if (missed) parts.push(`${missed} ${plural(missed, "misses its margin", "miss their margins")}`);
    if (!parts.length) parts.push(standingOf(count("holds"), states.length, all));
    if (idle) parts.push(`${idle} ${plural(idle, "does", "do")} not apply`);
    if (unknown) parts.push(`${unknown} ${plural(unknown, "has", "have")} no value`);
    return parts.join(", ");
  };

  /** How many rules hold where none is broken, as check says it. */
  function standingOf(held, total, all) {
    if (held < total) return `${held} of ${all} ${plural(total === 1 ? 1 : held, "holds", "hold")}`;
    return { 0: "no rule is judged", 1: "the rule holds", 2: "both rules hold" }[total] ?? `all ${total} rules hold`;
  }

  /** `a, b and c`. */
  outlast.listed = function (words) {
    return words.length < 2 ? words.join("") : `${words.slice(0, -1).join(", ")} and ${words.at(-1)}`;
  };

  /** How much is left or missing, and which share that is of the smaller side. */
  outlast.roomWords = function (told, judged) {
    if (told.missing !== null) return "";
    if (told.error !== null) return told.error;
    if (told.off !== undefined) return `${told.off} is off`;
    if (judged === null || !told.applies || !judged.comparison.orders) return "";
    const [slack, headroom] = [outlast.slackOf(judged), outlast.headroomOf(judged)];
    if (!outlast.isNumber(slack)) return slack === "infinite" ? "no limit" : "";
    if (slack.n === 0n) return "both sides are equal";
    const share = outlast.isNumber(headroom) ? ` (${outlast.aboutPercent(outlast.sizeOf(headroom))})` : "";
    const words = slack.n > 0n ? "left" : "too little";
    return `${outlast.aboutText(outlast.sizeOf(slack), judged.comparison.exponent)} ${words}${share}`;
  };

  /** A share in at most three significant digits, rounded down. */
  outlast.percentText = function (share) {
    return `${rounded(outlast.times(share, outlast.fraction(100n)))[0]} %`;
  };

  /** The same, saying where it is rounded. */
  outlast.aboutPercent = function (share) {
    const [text, isExact] = rounded(outlast.times(share, outlast.fraction(100n)));
    return isExact ? `${text} %` : `about ${text} %`;
  };

  /** An amount for a sentence; one that is no decimal number is only told rounded. */
  outlast.aboutText = function (value, exponent) {
    const text = outlast.formatValue(value, exponent);
    const isExact = text.split("/").length - 1 === (exponent === -1 ? 1 : 0);
    return isExact ? text : `about ${nearest(value, exponent)}`;
  };

  function nearest(value, exponent) {
    if (exponent === 1) {
      const unit = Object.keys(UNITS).find((each) => value.n >= UNITS[each] * value.d) ?? "ns";
      return `${fourDigits(outlast.over(value, outlast.fraction(UNITS[unit])))}${unit}`;
    }
    if (exponent === -1) {
      const unit = ["s", "min", "h"].find((each) => value.n * RATES[each] >= value.d) ?? "d";
      return `${fourDigits(outlast.times(value, outlast.fraction(RATES[unit])))}/${unit}`;
    }
    if (exponent === 0) return fourDigits(value);
    const base = outlast.power(outlast.fraction(10n ** 9n), exponent);
    return `${fourDigits(outlast.over(value, base))}s^${exponent}`;
  }

  /** Four significant digits, and all before the point, of what is no decimal number and so never half way between two. */
  function fourDigits(value) {
    let [size, digits] = [value, 3n];
    const ten = outlast.fraction(10n);
    while (outlast.compare(size, ten) >= 0 && digits) [size, digits] = [outlast.over(size, ten), digits - 1n];
    while (outlast.compare(size, outlast.ONE) < 0) [size, digits] = [outlast.times(size, ten), digits + 1n];
    const scaled = outlast.times(value, outlast.fraction(10n ** digits));
    const below = outlast.floor(scaled);
    const isUp = 2n * (scaled.n - below * scaled.d) > scaled.d;
    return outlast.formatNumber(outlast.fraction(below + (isUp ? 1n : 0n), 10n ** digits));
  }

  /** At most three significant digits of a number that is not negative, rounded down, and whether that changed nothing. */
  function rounded(value) {
    if (value.n === 0n) return ["0", true];
    let exponent = String(value.n).length - String(value.d).length;
    const at = (power) => outlast.power(outlast.fraction(10n), power);
    if (outlast.compare(value, at(exponent)) < 0) exponent -= 1;
    const unit = at(exponent - 2);
    const cut = outlast.times(outlast.fraction(outlast.floor(outlast.over(value, unit))), unit);
    return [outlast.formatNumber(cut), outlast.compare(cut, value) === 0];
  }
})(globalThis.outlast ??= {});
