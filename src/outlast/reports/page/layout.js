// From a drawing of the page's data and values to a timeline, exactly as picturing/layout.py does; places are fractions.
"use strict";
(function (outlast) {
  const { ZERO, ONE, fraction, isNumber, times, over, power, compare, sizeOf, formatValue } = outlast;
  const MOST_TICKS = 6n;
  const TEN = fraction(10n);

  /**
   * The picture at these values, with the field names of picturing/timeline.py; null where it needs a value that is not known.
   * `verdicts` are by id those of its rules, as far as they were judged; what cannot be computed is not drawn.
   */
  function layOut(data, drawing, world, verdicts) {
    if (outlast.missingIn(world, drawing.names).length) return null;
    const drawn = atEnds(world, drawing.lower);
    const unmet = drawing.needs.flatMap((need) => known(() => unmetOf(drawn, need)));
    if (!unmet.length) return laidOut(drawn, drawing, verdicts);
    const facts = [{ words: [`Not drawn: ${unmet.join("; ")}.`], tone: "plain", when: null }];
    return laidOut(drawn, { ...drawing, lanes: [], facts }, verdicts);
  }

  /** What is wrong with a need: one text or none. */
  function unmetOf(world, [label, poly, exponent, isWhole]) {
    const value = outlast.evaluate(world, poly, true);
    const shown = `${label} is ${formatValue(value, exponent)}`;
    if (isWhole && isNumber(value)) return value.d === 1n && value.n >= 1n ? [] : [`${shown}, not a whole number from 1 on`];
    return value === "-infinite" || (isNumber(value) && value.n < 0n) ? [shown] : [];
  }

  function laidOut(drawn, drawing, verdicts) {
    const isSum = drawing.shape === null;
    const shown = drawing.rules.filter((rule) => verdicts.has(rule)).map((rule) => [rule, verdicts.get(rule)]);
    const facts = drawing.facts.flatMap((fact) => known(() => (isSo(drawn, fact.when) ? [sentence(textOf(drawn, fact.words), fact.tone)] : [])));
    return withAxis({
      id: drawing.id,
      title: drawing.title,
      shape: drawing.shape,
      time_exponent: drawing.time_exponent,
      rows: drawing.lanes.map((lane) => rowOf(drawn, lane, isSum)),
      gaps: drawing.lanes.length ? shown.flatMap(([rule, verdict]) => gapOf(rule, verdict, drawing.time_exponent)) : [],
      facts: [...facts, ...shown.map(([rule, verdict]) => ruleSentence(rule, verdict))],
    });
  }

  /** The same picture with an axis that shows everything in it, and a twentieth more. */
  function withAxis(timeline) {
    const end = placesOf(timeline).reduce((a, b) => (compare(b, a) > 0 ? b : a), ZERO);
    const until = end.n > 0n ? times(end, fraction(21n, 20n)) : power(fraction(10n ** 9n), timeline.time_exponent);
    return { ...timeline, until, ticks: ticksOf(until, timeline.time_exponent) };
  }

  function placesOf({ rows, gaps }) {
    const stretches = [...rows.flatMap((row) => row.stretches), ...gaps].flatMap(({ start, end }) => [start, end]);
    const moments = rows.flatMap((row) => row.moments).map((moment) => moment.at);
    return [...stretches, ...moments].filter((place) => place !== null);
  }

  /** From 0 in steps of 1, 2 or 5 times a power of ten, the smallest that leave at most six. */
  function ticksOf(until, exponent) {
    const ten = greatestPower(until);
    const steps = [over(ten, TEN), over(ten, fraction(5n)), over(ten, fraction(2n)), ten, times(ten, fraction(2n)), times(ten, fraction(5n))];
    const step = steps.find((each) => outlast.floor(over(until, each)) < MOST_TICKS);
    const count = Number(outlast.floor(over(until, step))) + 1;
    return Array.from({ length: count }, (_, n) => times(step, fraction(BigInt(n)))).map((at) => ({ at, words: formatValue(at, exponent) }));
  }

  /** The greatest power of ten that is not above it. */
  function greatestPower(until) {
    let found = ONE;
    while (compare(times(found, TEN), until) > 0) found = over(found, TEN);
    while (compare(times(found, TEN), until) <= 0) found = times(found, TEN);
    return found;
  }

  /**
   * The same world with one value for each name, so that of two conditions that exclude each other never none holds;
   * `lower` names parameters that stand at their lower ends, and by their numbers quantiles. Without that bound they stand at the other.
   */
  function atEnds(world, lower) {
    const end = (name) => (lower.includes(name) ? 0 : 1);
    const values = new Map([...world.values].map(([name, value]) => [name, Array.isArray(value) ? value[end(name)] : value]));
    const has = (quantile, isUpper) => world.data.quantiles[quantile][isUpper ? "upper" : "lower"] !== null;
    const isUpper = (quantile) => !lower.includes(quantile);
    return outlast.worldWith(world.data, values, (quantile) => world.bound(quantile, has(quantile, isUpper(quantile)) === isUpper(quantile)));
  }

  // Lanes

  function rowOf(world, lane, isSum) {
    const drawn = lane.bars.flatMap((bar) => known(() => drawnOf(world, bar, isSum)));
    const moments = lane.marks.flatMap((mark) => known(() => momentOf(world, mark)));
    return {
      label: lane.label,
      stretches: drawn.filter((each) => each.at === undefined).sort((a, b) => compare(a.start, b.start)),
      moments: [...drawn.filter((each) => each.at !== undefined), ...moments].sort((a, b) => compare(a.at, b.at)),
    };
  }

  /** A bar as one stretch, or where nothing lasts as none; in sums as a moment. */
  function drawnOf(world, bar, isSum) {
    if (!isSo(world, bar.when)) return [];
    const start = outlast.evaluate(world, bar.start, true);
    const end = bar.end === null ? "infinite" : outlast.evaluate(world, bar.end, true);
    if (!isNumber(start)) return [];
    const begin = start.n < 0n ? ZERO : start;
    const size = end === "infinite" ? 1 : isNumber(end) ? compare(end, begin) : -1;
    const [words, told] = [textOf(world, bar.words), bar.told];
    if (size > 0) return [{ start: begin, end: isNumber(end) ? end : null, words, tone: bar.tone, told }];
    return isSum && size === 0 ? [{ at: begin, words, tone: "plain", told }] : [];
  }

  function momentOf(world, mark) {
    const at = outlast.evaluate(world, mark.at, true);
    if (!isNumber(at) || at.n < 0n || !isSo(world, mark.when)) return [];
    return [{ at, words: textOf(world, mark.words), tone: mark.tone, told: mark.told }];
  }

  /** A list, empty where what is in it cannot be computed. */
  function known(list) {
    try {
      return list();
    } catch (error) {
      if (!(error instanceof outlast.Uncomputable)) throw error;
      return [];
    }
  }

  // Sentences

  /** What each lane shows, every bar and every mark, as picturing/events.py tells it. */
  function eventsOf(timeline) {
    return timeline.rows.map((row) => `${row.label}: ${eventsOfRow(row, timeline).join("; ") || "nothing"}`);
  }

  /** Marks before bars; marks alike that have no words in the drawing are told together. */
  function eventsOfRow(row, timeline) {
    const found = [];
    let together = null;
    for (const event of [...row.moments, ...row.stretches].sort((a, b) => compare(beginOf(a), beginOf(b)))) {
      const told = event.at !== undefined && event.words === "" && event.told !== "" ? event.told : null;
      if (told === null) found.push(eventText(event, timeline));
      else if (told === together) found[found.length - 1].places.push(placeText(event.at, timeline));
      else found.push({ places: [placeText(event.at, timeline)], told });
      together = told;
    }
    return found.map((each) => (typeof each === "string" ? each : `${each.places.join(", ")} ${each.told}`));
  }

  function eventText(event, timeline) {
    const words = event.words || event.told;
    if (timeline.shape === null && words !== "") return words; // what is added up has its amount in its words
    const start = placeText(beginOf(event), timeline);
    if (event.at !== undefined) return `${start} ${words}`;
    return event.end === null ? `from ${start} on ${words}` : `${start} to ${placeText(event.end, timeline)} ${words}`;
  }

  function beginOf(event) {
    return event.at ?? event.start;
  }

  function placeText(place, timeline) {
    return formatValue(place, timeline.time_exponent);
  }

  // Rules

  /** The room of a rule whose sides are places of the axis: one gap or none. */
  function gapOf(rule, verdict, exponent) {
    const judged = outlast.decisiveOf(verdict);
    if (judged === null || verdict.truth === "not applicable" || !isOnAxis(judged.comparison, exponent)) return [];
    const { left, right } = judged;
    const [words, tone] = toldOf(verdict);
    if (isPlace(left) && right === "infinite") return [{ rule, start: left, end: null, words, tone, wrong_at: null }];
    if (isPlace(right) && left === "infinite") return [{ rule, start: right, end: null, words, tone, wrong_at: right }];
    if (!isPlace(left) || !isPlace(right)) return [];
    const [start, end] = compare(left, right) > 0 ? [right, left] : [left, right];
    return [{ rule, start, end, words, tone, wrong_at: verdict.truth === "broken" ? right : null }];
  }

  function isOnAxis({ orders, exponent }, axis) {
    return orders && exponent === axis;
  }

  function isPlace(value) {
    return isNumber(value) && value.n >= 0n;
  }

  /** A margin that is missed counts as a rule that is broken. */
  function ruleSentence(rule, verdict) {
    const [words, usual] = toldOf(verdict);
    const isMissed = verdict.error === null && verdict.missing === null && verdict.truth !== "not applicable" && !verdict.marginKept;
    const tone = isMissed ? "bad" : usual;
    const judged = outlast.decisiveOf(verdict);
    if (judged === null || verdict.missing !== null) return sentence(`${rule}: ${words}.`, tone);
    const { exponent, sign } = judged.comparison;
    return sentence(`${rule}: ${formatValue(judged.left, exponent)} ${sign} ${formatValue(judged.right, exponent)}, ${words}.`, tone);
  }

  function sentence(words, tone) {
    return { words, tone };
  }

  /** What a verdict says of the room, without a full stop, and its tone. */
  function toldOf(verdict) {
    if (verdict.error !== null) return [`cannot be computed: ${verdict.error}`, "plain"];
    if (verdict.missing !== null) return [`broken, ${verdict.missing} is off`, "bad"];
    if (verdict.truth === "not applicable") return ["not applicable", "plain"];
    const isBroken = verdict.truth === "broken";
    const tone = isBroken ? "bad" : verdict.marginKept ? "good" : "plain";
    const judged = outlast.decisiveOf(verdict);
    const slack = judged !== null && judged.comparison.orders ? outlast.slackOf(judged) : null;
    if (slack === null) {
      const isEndless = judged !== null && judged.comparison.orders && judged.left === "infinite";
      return [!isBroken ? "holds" : isEndless ? "broken, the smaller side has no end" : "broken", tone];
    }
    if (!isNumber(slack)) return ["no limit", tone];
    return [roomOf(slack, judged.comparison.exponent, isBroken, verdict.marginKept), tone];
  }

  function roomOf(slack, exponent, isBroken, isKept) {
    const amount = formatValue(sizeOf(slack), exponent);
    if (!isBroken) return isKept ? `${amount} left` : `${amount} left, less than the margin`;
    return slack.n === 0n ? "both sides are equal, which is not enough" : `${amount} too little`;
  }

  // Conditions and words

  function isSo(world, condition) {
    return condition === null || outlast.holds(world, condition);
  }

  function textOf(world, words) {
    return words.map((word) => (typeof word === "string" ? word : formatValue(outlast.evaluate(world, word.poly, true), word.exponent))).join("");
  }

  Object.assign(outlast, { layOut, eventsOf });
})(globalThis.outlast ??= {});
