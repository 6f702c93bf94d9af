"use strict";
(function (outlast) {
  /** Mark the clock of each connection that ends first at these values. */
  function markPath(data, world) {}

  outlast.markPath = markPath;
})((globalThis.outlast ??= {}));
