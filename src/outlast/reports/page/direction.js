"use strict";
// Words that run from right to left, in lines that run from left to right; forward() of reports/markup.py does the same.
(function (outlast) {
  const LEFTWARD = "[\\u0590-\\u08ff\\ufb1d-\\ufdff\\ufe70-\\ufefc\\u{10800}-\\u{10fff}\\u{1e800}-\\u{1efff}]+";
  const WORDS = new RegExp(`${LEFTWARD}(?: +${LEFTWARD})*`, "gu");

  /** Text in which what follows such words stands on their right: a mark that nobody sees ends them. */
  outlast.forward = function (text) {
    return text.replace(WORDS, "$&\u200e");
  };
})(globalThis.outlast ??= {});
