"use strict";
// Names that run from right to left, in lines that run from left to right; forward() of reports/markup.py does the same.
//
// Writing needs svg.js, which escapes.
(function (outlast) {
  const LEFTWARD = /[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc\u{10800}-\u{10fff}\u{1e800}-\u{1efff}]/u;
  const SIGNS = "0-9A-Z_a-z\\u00aa-\\u00d6\\u00d8-\\u00f6\\u00f8-\\u1fff\\u2c00-\\u2dff\\u3005-\\ud7ff\\uf900-\\ufffd\\u{10000}-\\u{effff}";
  const NAMES = new RegExp(`[${SIGNS}]+(?:[-./:@][${SIGNS}]+)*`, "gu");
  const BDI = ['<bdi dir="ltr">', "</bdi>"];

  /** Markup without elements in which each such name stands as if alone; `begin` and `end` set it apart. */
  outlast.forward = function (markup, [begin, end] = BDI) {
    if (!LEFTWARD.test(markup)) return markup;
    const marked = markup.replace(NAMES, (name) => (LEFTWARD.test(name) ? begin + name + end : name));
    return marked.replace(new RegExp(`${end}( +)${begin}`, "g"), "$1");
  };

  /** Write text into an element, its names set apart. */
  outlast.writeForward = function (place, text) {
    place.innerHTML = outlast.forward(outlast.escape(text));
  };
})(globalThis.outlast ??= {});
