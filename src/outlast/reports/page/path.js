// Which clock ends an idle connection first, at any values; ways.py does the same.
"use strict";
(function (outlast) {
  /** Mark at each connection the clock that ends first in this world, and say so; `data` is the page's. */
  function markPath(data, world) {
    const ways = (data.path ?? []).map((way) => ({ ...way, values: way.clocks.map((clock) => valueOf(world, clock.poly, clock.upper)) }));
    const firsts = ways.map((way) => endsFirst(way, world));
    for (const mark of document.querySelectorAll("[data-clock]")) {
      const [way, clock] = mark.dataset.clock.split(".").map(Number);
      mark.hidden = !firsts[way].includes(clock);
    }
    for (const shown of document.querySelectorAll("[data-clock-value]")) {
      const [way, clock] = shown.dataset.clockValue.split(".").map(Number);
      shown.textContent = text(ways[way].values[clock]);
    }
    for (const told of document.querySelectorAll("[data-way]")) {
      const way = Number(told.dataset.way);
      outlast.writeForward(told, sentence(ways[way], firsts[way], world));
    }
  }

  /** The numbers of the clocks that end first. */
  function endsFirst(way, world) {
    if (!way.kept) return [];
    const awake = way.awake.map((poly) => valueOf(world, poly, true)).filter((value) => outlast.isNumber(value));
    const isRunning = (value, clock) =>
      outlast.isNumber(value) && !(clock.silent && awake.some((each) => outlast.compare(each, value) < 0));
    const running = [...way.clocks.keys()].filter((n) => isRunning(way.values[n], way.clocks[n]));
    return running.filter((n) => running.every((m) => outlast.compare(way.values[n], way.values[m]) <= 0));
  }

  function sentence(way, first, world) {
    if (!way.kept) return `${way.label}: connections are not kept.`;
    if (!first.length) return `${way.label}: nothing that is known ends an idle connection.`;
    const ends = endsTaken(way, first, world);
    const after = `${way.label}: idle, it ends after ${text(way.values[first[0]])}${ends && `, ${ends}`}`;
    const stops = first.map((n) => way.clocks[n].stop);
    if (stops.length > 1) return `${after}: ${outlast.listed(stops)} end it at the same moment.`;
    return `${after}: ${stops[0]} ${way.clocks[first[0]].silent ? "forgets it first, telling nobody" : "closes it first"}.`;
  }

  /** Which ends of intervals these clocks stand at; empty where they have one value. */
  function endsTaken(way, first, world) {
    const told = [];
    for (const { poly, stop, upper } of first.map((n) => way.clocks[n])) {
      const [low, high] = [false, true].map((isUpper) => text(valueOf(world, poly, isUpper)));
      const words = `the ${upper ? "upper" : "lower"} end of ${low} to ${high}`;
      if (low !== high) told.push(first.length > 1 ? `${words} at ${stop}` : words);
    }
    return told.join(" and ");
  }

  /** null: a name in it has no value, or it cannot be computed. */
  function valueOf(world, poly, isUpper) {
    try {
      return outlast.evaluate(world, poly, isUpper);
    } catch (error) {
      if (error instanceof outlast.Uncomputable) return null;
      throw error;
    }
  }

  function text(value) {
    return value === null ? "no value" : outlast.formatValue(value, 1);
  }

  outlast.markPath = markPath;
})(globalThis.outlast ??= {});
