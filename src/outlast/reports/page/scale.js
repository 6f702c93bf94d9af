"use strict";
// Where values stand on a slider, with whole numbers only; scale.py does the same.
(function (outlast) {
  const DECADE = 350n;

  /** A scale of such steps from the page's data, where numbers are texts. */
  outlast.scale = function (step, { low, high, stride }) {
    const scale = { step, low: BigInt(low), high: BigInt(high), stride: BigInt(stride) };
    scale.start = placeOf(scale, scale.low);
    const end = placeOf(scale, scale.high);
    scale.last = end - scale.start + (numberAt(scale, end) < scale.high ? 1n : 0n);
    return scale;
  };

  /** The value at a position. */
  outlast.valueAt = function (scale, position) {
    const number = numberAt(scale, scale.start + BigInt(position));
    const steps = number > scale.high ? scale.high : number < scale.low ? scale.low : number;
    return outlast.fraction(scale.step.n * steps, scale.step.d);
  };

  /** The greatest position whose value is no greater; 0 where there is none. */
  outlast.positionOf = function (scale, value) {
    const index = (value.n * scale.step.d) / (value.d * scale.step.n);
    if (index >= scale.high) return scale.last;
    const position = placeOf(scale, index) - scale.start;
    return position < 0n ? 0n : position;
  };

  /** How far along it lies, in hundredths of a percent, rounded down. */
  outlast.shareOf = function (scale, value) {
    const start = exactPlace(scale, scale.low, 1n);
    const end = exactPlace(scale, scale.high, 1n);
    const at = exactPlace(scale, value.n * scale.step.d, value.d * scale.step.n);
    const above = (at.n * start.d - start.n * at.d) * end.d;
    const whole = (end.n * start.d - start.n * end.d) * at.d;
    if (above <= 0n) return 0;
    const share = (10000n * above) / whole;
    return share > 10000n ? 10000 : Number(share);
  };

  function numberAt(scale, place) {
    if (scale.stride) return place * scale.stride;
    if (place < 100n) return place;
    const power = 10n ** ((place - 100n) / DECADE);
    const rest = (place - 100n) % DECADE;
    if (rest < 100n) return (100n + rest) * power;
    return (rest < 250n ? 200n + 2n * (rest - 100n) : 500n + 5n * (rest - 250n)) * power;
  }

  function placeOf(scale, index) {
    if (scale.stride) return index / scale.stride;
    if (index < 100n) return index;
    const power = BigInt(String(index).length - 3);
    const lead = index / 10n ** power;
    const before = 100n + DECADE * power;
    if (lead < 200n) return before + lead - 100n;
    return before + (lead < 500n ? 100n + (lead - 200n) / 2n : 250n + (lead - 500n) / 5n);
  }

  /** The place of so many steps, in parts of a place. */
  function exactPlace(scale, n, d) {
    const place = placeOf(scale, n / d);
    const number = numberAt(scale, place);
    const between = (numberAt(scale, place + 1n) - number) * d;
    return { n: place * between + n - number * d, d: between };
  }
})(globalThis.outlast ??= {});
