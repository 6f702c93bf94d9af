"use strict";
// Values that check would find fault with, whatever the rules say; odd.py says the same.
(function (outlast) {
  /** What is odd about a value: whether that is the step (else it is the domain), and words; null: nothing. */
  outlast.oddOf = function (control, value) {
    const { odd = {} } = control;
    if (value === undefined || value === null || (odd.unset && outlast.isSame(value, control.in_use))) return null;
    const means = outlast.effective(control, value);
    if (!outlast.isNumber(means)) return odd[means] === undefined ? null : { isStep: false, words: odd[means] };
    if (!isInside(control, odd, means)) return { isStep: false, words: odd.outside };
    const isOffStep = odd.step !== undefined && outlast.over(value, control.step).d !== 1n;
    return isOffStep ? { isStep: true, words: odd.step } : null;
  };

  /** How many values are odd, as check counts them. */
  outlast.oddWords = function (odd) {
    const steps = odd.filter(({ isStep }) => isStep).length;
    const outside = odd.length - steps;
    const told = [];
    if (steps) told.push(`${steps} ${steps === 1 ? "value is off its step" : "values are off their steps"}`);
    if (outside) told.push(`${outside} ${outside === 1 ? "value is outside its domain" : "values are outside their domains"}`);
    return told;
  };

  function isInside({ ends: [low, high] }, { listed }, value) {
    if (listed !== undefined) return listed.some((each) => outlast.compare(outlast.read(each), value) === 0);
    return !(low !== null && outlast.compare(value, low) < 0) && !(high !== null && outlast.compare(value, high) > 0);
  }
})(globalThis.outlast ??= {});
