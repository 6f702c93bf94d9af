// Exact numbers of the page: fractions of BigInt, and quantities read from text and written back, as constraints/quantities.py does.
//
// A fraction is {n, d}, d > 0, reduced; what is no number is one of the texts "infinite", "-infinite", "off" and "undefined".
"use strict";
(function (outlast) {
  const LARGEST = 2n ** 63n - 1n;
  const LONGEST = 40;
  const UNITS = new Map([
    ["ns", 1n],
    ["us", 10n ** 3n],
    ["µs", 10n ** 3n],
    ["μs", 10n ** 3n],
    ["ms", 10n ** 6n],
    ["s", 10n ** 9n],
    ["m", 60n * 10n ** 9n],
    ["min", 60n * 10n ** 9n],
    ["h", 3600n * 10n ** 9n],
    ["d", 86400n * 10n ** 9n],
  ]);
  const SLIPS = new Map(
    Object.entries({
      nsec: "ns", usec: "us", msec: "ms", millis: "ms", MS: "ms", Ms: "ms", mS: "ms",
      S: "s", sec: "s", secs: "s", second: "s", seconds: "s", M: "min", mins: "min", minute: "min", minutes: "min",
      H: "h", hr: "h", hour: "h", hours: "h", D: "d", day: "d", days: "d",
    }),
  );
  const WRITTEN_UNITS = ["ns", "us", "ms", "s", "min", "m", "h", "d"];
  const NEXT_UNITS = ["h", "m", "s", "ms", "us", "ns"];
  const EXPECTED = "expected a duration (10s, 1m30s, 250us), a count (3), a rate (100/s), a ratio (20%), infinite or off";
  const KIND_EXAMPLES = {
    duration: "a duration with its unit, such as 10s",
    count: "a count, such as 3",
    rate: "a rate, such as 100/s",
    ratio: "a ratio, such as 20%",
  };
  // What Python takes for white space, for a digit and for a letter of a unit.
  const BLANK = "[\\t-\\r\\x1c-\\x1f \\x85\\xa0\\u1680\\u2000-\\u200a\\u2028\\u2029\\u202f\\u205f\\u3000]";
  const BLANKS = new RegExp(`${BLANK}+`, "gu");
  const OUTER_BLANKS = new RegExp(`^${BLANK}+|${BLANK}+$`, "gu");
  const DIGIT = /^[\p{Nd}²³¹⁰⁴-⁹₀-₉]/u;
  const NUMBER = /[0-9]+(?:\.[0-9]+)?|\.[0-9]+/y;
  const LETTERS = /[\p{L}\p{Nl}\p{No}]+/uy;

  // Fractions

  /** The reduced fraction n / d, d not 0. */
  function fraction(n, d = 1n) {
    if (d === 1n) return { n, d };
    const divisor = greatestDivisor(n < 0n ? -n : n, d < 0n ? -d : d) * (d < 0n ? -1n : 1n);
    return { n: n / divisor, d: d / divisor };
  }

  function greatestDivisor(a, b) {
    while (b) [a, b] = [b, a % b];
    return a;
  }

  const ZERO = fraction(0n);
  const ONE = fraction(1n);

  function isNumber(value) {
    return typeof value === "object" && value !== null;
  }

  function plus(a, b) {
    return a.d === b.d ? fraction(a.n + b.n, a.d) : fraction(a.n * b.d + b.n * a.d, a.d * b.d);
  }

  function minus(a, b) {
    return plus(a, negated(b));
  }

  function negated(a) {
    return { n: -a.n, d: a.d };
  }

  function times(a, b) {
    return fraction(a.n * b.n, a.d * b.d);
  }

  /** a / b, b not 0. */
  function over(a, b) {
    return fraction(a.n * b.d, a.d * b.n);
  }

  /** a to a whole power, a not 0 where that is negative. */
  function power(a, exponent) {
    const size = BigInt(Math.abs(exponent));
    return exponent < 0 ? fraction(a.d ** size, a.n ** size) : fraction(a.n ** size, a.d ** size);
  }

  /** Whether two values of any sort are the same; one that is not known is the same as null. */
  function isSame(a, b) {
    return isNumber(a) && isNumber(b) ? compare(a, b) === 0 : (a ?? null) === (b ?? null);
  }

  /** -1, 0 or 1 as a is less than, equal to or greater than b. */
  function compare(a, b) {
    const [left, right] = [a.n * b.d, b.n * a.d];
    return left < right ? -1 : left > right ? 1 : 0;
  }

  function sizeOf(a) {
    return a.n < 0n ? negated(a) : a;
  }

  /** The greatest whole number that is not above it. */
  function floor(a) {
    const cut = a.n / a.d;
    return a.n < 0n && cut * a.d !== a.n ? cut - 1n : cut;
  }

  /** The least whole number that is not below it. */
  function ceil(a) {
    return -floor(negated(a));
  }

  /** A value of the page's data: a fraction as "n/d" or "n", or the name of what is no number; null stays null. */
  function read(text) {
    if (text === null || !/^-?[0-9]/.test(text)) return text;
    const [n, d = "1"] = text.split("/");
    return fraction(BigInt(n), BigInt(d));
  }

  /** What `read` reads. */
  function written(value) {
    if (!isNumber(value)) return value;
    return value.d === 1n ? `${value.n}` : `${value.n}/${value.d}`;
  }

  // Writing

  /** A plain number, exact: an integer, a decimal if it terminates within what can be read back, or a fraction. */
  function formatNumber(value) {
    return (value.d !== 1n && decimal(value)) || written(value);
  }

  function decimal(value) {
    const digits = decimalsOf(value.d);
    if (digits === null || digits >= LONGEST) return null;
    const text = withPoint((sizeOf(value).n * 10n ** BigInt(digits)) / value.d, digits);
    if (text.length > LONGEST) return null;
    return value.n < 0n ? `-${text}` : text;
  }

  /** How many decimals a fraction with this denominator has; null: it does not terminate. */
  function decimalsOf(denominator) {
    let [rest, twos, fives] = [denominator, 0, 0];
    for (; rest % 2n === 0n; rest /= 2n) twos += 1;
    for (; rest % 5n === 0n; rest /= 5n) fives += 1;
    return rest === 1n ? Math.max(twos, fives) : null;
  }

  /** A whole number of 10 ** -digits as a decimal. */
  function withPoint(scaled, digits) {
    const text = `${scaled}`.padStart(digits + 1, "0");
    return `${text.slice(0, text.length - digits)}.${text.slice(text.length - digits)}`;
  }

  /** A value in the shortest exact unit; fractions that do not terminate are written as such (`10/3s`). */
  function formatValue(value, exponent, percent = false) {
    if (!isNumber(value)) return value;
    if (exponent === 1) return formatDuration(value);
    if (exponent === -1) return formatRate(value);
    if (exponent === 0) return percent ? `${formatNumber(times(value, fraction(100n)))}%` : formatNumber(value);
    return `${formatNumber(over(value, power(fraction(10n ** 9n), exponent)))}s^${exponent}`;
  }

  function formatDuration(value) {
    const size = sizeOf(value);
    if (value.n === 0n) return "0s";
    for (const [unit, hours] of [["d", 48n], ["h", 1n]]) {
      const parts = over(value, fraction(UNITS.get(unit)));
      if (parts.d === 1n && compare(size, fraction(hours * UNITS.get("h"))) >= 0) return `${parts.n}${unit}`;
    }
    const unit = ["s", "ms", "us"].find((each) => compare(size, fraction(UNITS.get(each))) >= 0) ?? "ns";
    return `${formatNumber(over(value, fraction(UNITS.get(unit))))}${unit}`;
  }

  function formatRate(value) {
    const scaled = ["s", "min", "h", "d"].map((unit) => [formatNumber(times(value, fraction(UNITS.get(unit)))), unit]);
    const decimals = scaled.filter(([number]) => !number.includes("/"));
    const whole = decimals.filter(([number]) => !number.includes("."));
    return [...whole, ...decimals, ...scaled][0].join("/");
  }

  /** A value of a parameter as a spec writes it. */
  function valueText(value, kind) {
    return formatValue(value, { duration: 1, count: 0, rate: -1, ratio: 0 }[kind], kind === "ratio");
  }

  /** A number rounded down to so many decimals, as Python writes that int or float in JSON. */
  function roundedDown(value, places) {
    const scale = 10n ** BigInt(places);
    const cut = fraction(floor(times(value, fraction(scale))), scale);
    const isLong = sizeOf(cut).n >= 10n ** 16n * cut.d; // a float tells nothing after the point
    return cut.d === 1n || isLong ? `${floor(cut)}` : floatText(cut, places);
  }

  /** The float nearest to a decimal, in as few digits as tell it from all others. */
  function floatText(value, places) {
    const text = withPoint((sizeOf(value).n * 10n ** BigInt(places)) / value.d, places);
    const [digits, exponent] = Number(text).toExponential().split("e");
    return (value.n < 0n ? "-" : "") + asPython(digits.replace(".", ""), Number(exponent));
  }

  function asPython(digits, exponent) {
    if (exponent < -4 || exponent >= 16) {
      const size = `${Math.abs(exponent)}`.padStart(2, "0");
      const rest = digits.length > 1 ? `.${digits.slice(1)}` : "";
      return `${digits[0]}${rest}e${exponent < 0 ? "-" : "+"}${size}`;
    }
    if (exponent < 0) return `0.${"0".repeat(-exponent - 1)}${digits}`;
    const filled = digits.padEnd(exponent + 2, "0");
    return `${filled.slice(0, exponent + 1)}.${filled.slice(exponent + 1)}`;
  }

  /** A headroom as `check --format json` has it under `headroom`; null where there is none. */
  function headroomText(headroom) {
    return isNumber(headroom) ? roundedDown(headroom, 4) : headroom;
  }

  // Reading

  class QuantityError extends Error {}

  /** What somebody wrote: {value, kind} (no kind: infinite or off) or {error}. */
  function parse(text) {
    try {
      return parsed(text);
    } catch (error) {
      if (!(error instanceof QuantityError)) throw error;
      return { error: error.message };
    }
  }

  /** What somebody wrote for a parameter of the page's data, as a spec would understand it: {value} or {error}. */
  function parseFor(parameter, text) {
    const meant = stripped(text);
    const isBare = whole(NUMBER, meant);
    const found = parse(isBare && parameter.unit !== null ? meant + parameter.unit : meant);
    if (found.error !== undefined) return { error: found.error.replace(EXPECTED, () => `expected ${KIND_EXAMPLES[parameter.kind]}`) };
    const fits = found.kind === null || found.kind === parameter.kind || (found.kind === "count" && parameter.kind === "ratio");
    if (fits || (meant === "0" && parameter.unit === null)) return { value: found.value };
    return { error: `expected ${KIND_EXAMPLES[parameter.kind]}, found '${short(meant)}'${slip(found.kind, parameter.kind, meant)}` };
  }

  function slip(found, expected, text) {
    if (expected === "count") return found === "ratio" ? ", which is a ratio; counts are whole" : "";
    if (found !== "count") return "";
    return expected === "duration" ? `; did you mean '${text}s' or '${text}ms'?` : `; did you mean '${text}/s'?`;
  }

  function parsed(text) {
    if (text === "infinite" || text === "off") return { value: text, kind: null };
    refuseOdd(text);
    const number = at(NUMBER, text, 0);
    if (number === null) throw new QuantityError(withoutNumber(text));
    const rest = text.slice(number.length);
    const value = numberOf(number, text);
    if (rest === "") return { value, kind: number.includes(".") ? "ratio" : "count" };
    if (rest === "%") return { value: over(value, fraction(100n)), kind: "ratio" };
    if (rest[0] !== "/") return { value: duration(text), kind: "duration" };
    const unit = rest.slice(1);
    if (unit === "") throw new QuantityError(`found '${short(text)}', expected a unit after '/', such as ${number}/s`);
    if (!UNITS.has(unit)) throw new QuantityError(unknownUnit(unit, text, "per-unit"));
    return { value: over(value, fraction(UNITS.get(unit))), kind: "rate" };
  }

  function refuseOdd(text) {
    const inner = stripped(text);
    if (text === "") throw new QuantityError(`found nothing, ${EXPECTED}`);
    if (text !== inner) {
      throw new QuantityError(inner ? `found blanks around '${short(inner)}', expected none` : `found blanks, ${EXPECTED}`);
    }
    if (/^[+-]./su.test(text) && (text[1] === "." || DIGIT.test(text.slice(1)))) {
      throw new QuantityError(`found '${short(text)}', but a quantity has no sign and is never negative`);
    }
    if (text.includes("..")) throw new QuantityError(`found '${short(text)}', expected one value, not an interval`);
  }

  function withoutNumber(text) {
    if (["infinite", "infinity", "inf", "off", "never"].includes(text.toLowerCase())) {
      return `found '${text}', expected 'infinite' or 'off', in lower case`;
    }
    return `found '${short(text)}', ${EXPECTED}`;
  }

  function duration(text) {
    let [total, offset, last] = [ZERO, 0, null];
    while (offset < text.length) {
      const number = at(NUMBER, text, offset);
      if (number === null) throw new QuantityError(withoutDigit(text, offset));
      const end = offset + number.length;
      const unit = at(LETTERS, text, end);
      if (unit === null) throw new QuantityError(withoutUnit(text, number, end, last));
      if (!UNITS.has(unit)) throw new QuantityError(unknownUnit(unit, text, "unit"));
      if (last !== null && UNITS.get(unit) >= last) {
        throw new QuantityError(`found '${short(text)}', expected larger units first and each once`);
      }
      last = UNITS.get(unit);
      total = plus(total, times(numberOf(number, text), fraction(last)));
      offset = end + unit.length;
    }
    return inRange(total, text);
  }

  function withoutDigit(text, offset) {
    if (isBlank(text[offset])) return `found '${short(text)}', expected no blank in it: '${short(squeezed(text))}'`;
    return `found '${short(text)}', expected a digit at '${short(text.slice(offset))}'`;
  }

  function withoutUnit(text, number, end, last) {
    if (end < text.length && isBlank(text[end])) {
      const unit = stripped(text.slice(end));
      const meant = text.slice(0, end) + (SLIPS.get(unit) ?? squeezed(unit));
      return `found '${short(text)}', expected no blank between number and unit: '${short(meant)}'`;
    }
    if (end === text.length) {
      const smaller = NEXT_UNITS.find((unit) => last !== null && UNITS.get(unit) < last);
      const hint = smaller ? `; did you mean '${short(text)}${smaller}'?` : "";
      return `found '${short(text)}', but its last number, ${short(number)}, has no unit${hint}`;
    }
    const hint = text[end] === "_" ? "; digits are not grouped" : "";
    return `found '${short(text)}', expected a unit (${WRITTEN_UNITS.join(", ")}) at '${short(text.slice(end))}'${hint}`;
  }

  function unknownUnit(unit, text, what) {
    if (unit === "e" || unit === "E") return `found '${short(text)}', but exponents are not read; write the number out`;
    const hint = SLIPS.has(unit) ? `; did you mean '${SLIPS.get(unit)}'?` : "";
    return `found '${short(text)}', with the unknown ${what} '${short(unit)}'; known are ${WRITTEN_UNITS.join(", ")}${hint}`;
  }

  function numberOf(digits, text) {
    if (digits.length > LONGEST) {
      throw new QuantityError(`found '${short(text)}', a number of ${digits.length} characters; the largest is ${LARGEST}`);
    }
    const [integer, decimals = ""] = digits.split(".");
    const number = fraction(BigInt(integer + decimals), 10n ** BigInt(decimals.length));
    if (compare(number, fraction(LARGEST)) > 0) {
      throw new QuantityError(`found '${short(text)}', but the largest number is ${LARGEST}`);
    }
    return number;
  }

  function inRange(nanoseconds, text) {
    if (nanoseconds.d !== 1n) throw new QuantityError(`found '${short(text)}', which is finer than 1 ns`);
    if (nanoseconds.n > LARGEST) {
      throw new QuantityError(`found '${short(text)}', which is longer than ${LARGEST} ns, about 292 years`);
    }
    return nanoseconds;
  }

  // Text

  /** What the pattern (a sticky one) finds at that place; null: nothing. */
  function at(pattern, text, offset) {
    pattern.lastIndex = offset;
    return pattern.exec(text)?.[0] ?? null;
  }

  function whole(pattern, text) {
    return text !== "" && at(pattern, text, 0) === text;
  }

  function stripped(text) {
    return text.replace(OUTER_BLANKS, "");
  }

  function squeezed(text) {
    return text.replace(BLANKS, "");
  }

  function isBlank(character) {
    return squeezed(character) === "";
  }

  /** At most some forty characters, printable, on one line. */
  function short(text) {
    const shown = [...printable(text)];
    return shown.length <= 40 ? shown.join("") : `${shown.slice(0, 24).join("")}…${shown.slice(-8).join("")}`;
  }

  function printable(text) {
    return stripped(text.replace(BLANKS, " ")).replace(/[\p{C}\p{Z}]/gu, (character) => (character === " " ? " " : numbered(character)));
  }

  function numbered(character) {
    const code = character.codePointAt(0).toString(16);
    if (code.length <= 2) return `\\x${code.padStart(2, "0")}`;
    return code.length <= 4 ? `\\u${code.padStart(4, "0")}` : `\\U${code.padStart(8, "0")}`;
  }

  Object.assign(outlast, {
    ZERO, ONE, fraction, isNumber, plus, minus, negated, times, over, power, compare, isSame, sizeOf, floor, ceil, read, written,
    formatNumber, formatValue, valueText, roundedDown, headroomText, parse, parseFor,
  });
})(globalThis.outlast ??= {});
