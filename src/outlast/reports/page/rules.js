// Rules judged at any values, exactly as constraints/evaluate.py does, and told as `check --format json` tells them.
//
// The page's data is what encoding.py writes: polynomials, atoms and formulas are numbers of its tables.
"use strict";
(function (outlast) {
  const { ZERO, ONE, fraction, isNumber, plus, minus, times, over, power, compare } = outlast;
  const [PLUS, MINUS, OFF, UNDEFINED] = ["infinite", "-infinite", "off", "undefined"];
  const [HOLDS, BROKEN, NOT_APPLICABLE] = ["holds", "broken", "not applicable"];
  const NO_AIM = { amount: ZERO, isRelative: true };
  const FIRST_RTO = fraction(200n * 10n ** 6n);
  const LARGEST_RTO = fraction(120n * 10n ** 9n);
  // More waits than this are not added up one by one, where the factor is whole and where it is not.
  const MOST_WAITS = [10_000n, 256n];

  /** Something that has a value, but none that can be found here. */
  class Uncomputable extends Error {}

  // The page's data

  /** The page's data with all that goes without saying in it, as it is written; controls with what is said of their parameters. */
  function unpacked(told) {
    const whole = (sort, thing) => ({ ...told.usual[sort], ...thing });
    const parameters = told.parameters.map((each) => whole("parameters", each));
    const named = (numbers) => numbers.map((number) => parameters[number].name);
    const margin = (each) => each && whole("margins", each);
    const rules = told.rules.map((each) => whole("rules", each));
    const namesOf = new Map(rules.map(({ id, names }) => [id, named(names)]));
    return {
      ...told,
      parameters: parameters.map((each) => ({ ...each, names: named(each.names) })),
      controls: (told.controls ?? []).map((each) => {
        const control = { ...parameters[each.parameter], ...whole("controls", each) };
        return { ...control, scale: control.scale && whole("scales", control.scale) };
      }),
      formulas: told.formulas.map((each) => whole("formulas", each)),
      rules: rules.map((each) => ({ ...each, names: namesOf.get(each.id), margin: margin(each.margin), aim: margin(each.aim) })),
      drawings: told.drawings.map((each) => {
        const drawing = withLanes(whole, { rules: [each.id], ...whole("drawings", each) });
        const names = [named(drawing.names), ...drawing.rules.map((id) => namesOf.get(id))].flat();
        return { ...drawing, names, lower: [...named(drawing.low_names), ...drawing.low_quantiles] };
      }),
    };
  }

  function withLanes(whole, drawing) {
    const item = (sort) => (each) => withWords(whole(sort, each), drawing.time_exponent);
    const lanes = drawing.lanes.map((each) => whole("lanes", each));
    return {
      ...drawing,
      lanes: lanes.map(({ label, bars, marks }) => ({ label, bars: bars.map(item("bars")), marks: marks.map(item("marks")) })),
      facts: drawing.facts.map(item("facts")),
    };
  }

  /** Amounts in words as {poly, exponent}. */
  function withWords(item, usual) {
    const amount = ([poly, exponent = usual]) => ({ poly, exponent });
    return { ...item, words: item.words.map((word) => (typeof word === "string" ? word : amount([word].flat()))) };
  }

  // The world: what names and quantiles stand for

  /** What each name stands for at these values as written (of the form of `read`, or as fractions); all others as the spec says. */
  function worldOf(data, written) {
    const values = new Map();
    for (const parameter of data.parameters) {
      const value = valueOf(parameter, written);
      if (value !== null) values.set(parameter.name, value);
    }
    return worldWith(data, values, (quantile, isUpper) => bound(data.quantiles[quantile], isUpper));
  }

  /** A world of effective values, by name, and of bounds of quantiles. */
  function worldWith(data, values, bound) {
    return { data, values, bound, known: new Map(), states: null };
  }

  function valueOf(parameter, written) {
    if (Object.hasOwn(written, parameter.name)) return effective(parameter, asValue(written[parameter.name]));
    if (parameter.interval !== null) return parameter.interval.map(outlast.read);
    return parameter.value === null ? null : effective(parameter, outlast.read(parameter.value));
  }

  function asValue(value) {
    return typeof value === "string" ? outlast.read(value) : value;
  }

  /** What a value as written means: itself, or what `zero` says of a 0. */
  function effective(parameter, value) {
    return parameter.zero !== null && isNumber(value) && value.n === 0n ? outlast.read(parameter.zero) : value;
  }

  function bound(quantile, isUpper) {
    const found = isUpper ? quantile.upper : quantile.lower;
    if (found === null) throw new Uncomputable(isUpper ? quantile.no_upper : quantile.no_lower);
    return outlast.read(found);
  }

  /** The names that have no value there. */
  function missingIn(world, names) {
    return names.filter((name) => !world.values.has(name));
  }

  // Formulas

  /** The value of a polynomial, its bounded quantities taken so that it comes out at that side. */
  function evaluate(world, poly, isUpper) {
    const key = 2 * poly + (isUpper ? 1 : 0);
    if (!world.known.has(key)) world.known.set(key, sum(world, world.data.polys[poly], isUpper));
    return world.known.get(key);
  }

  function sum(world, terms, isUpper) {
    let [total, isUndefined] = [ZERO, false];
    const infinite = new Set();
    for (const [written, factors] of terms) {
      const coefficient = outlast.read(written);
      const isPositive = coefficient.n > 0n;
      const value = product(world, factors, isPositive === isUpper);
      if (value === OFF) return OFF;
      if (value === UNDEFINED) isUndefined = true;
      else if (isNumber(value)) total = plus(total, times(coefficient, value));
      else infinite.add((value === PLUS) === isPositive ? PLUS : MINUS);
    }
    if (isUndefined || infinite.size === 2) return UNDEFINED;
    return infinite.size ? [...infinite][0] : total;
  }

  function product(world, factors, isUpper) {
    let [result, isNegative, isOver, isUnder, isUndefined] = [ONE, false, false, false, false];
    for (const [atom, exponent] of factors) {
      const value = valueOfAtom(world, world.data.atoms[atom], exponent > 0 === isUpper);
      if (value === OFF) return OFF;
      if (value === UNDEFINED || (exponent < 0 && (value === MINUS || (isNumber(value) && value.n <= 0n)))) isUndefined = true;
      else if (isNumber(value)) result = times(result, power(value, exponent));
      else if (exponent < 0) isUnder = true;
      else [isOver, isNegative] = [true, isNegative !== (value === MINUS)];
    }
    if (isUndefined || (isOver && isUnder)) return UNDEFINED;
    if (isUnder || result.n === 0n) return ZERO;
    if (isOver) return result.n > 0n === !isNegative ? PLUS : MINUS;
    return result;
  }

  function valueOfAtom(world, atom, isUpper) {
    if (atom.name !== undefined) return valueOfName(world, atom.name, isUpper);
    if (atom.quantile !== undefined) return world.bound(atom.quantile, isUpper);
    if (atom.sum !== undefined) return evaluate(world, atom.sum, isUpper);
    if (atom.if !== undefined) return chosen(world, atom, isUpper);
    if (atom.call === "first_set") return firstSet(world, atom.of, isUpper);
    return apply(atom.call, atom.of.map((poly) => evaluate(world, poly, isUpper)));
  }

  function valueOfName(world, name, isUpper) {
    if (!world.values.has(name)) throw new Uncomputable(`${name} has no value`);
    const value = world.values.get(name);
    return Array.isArray(value) ? value[isUpper ? 1 : 0] : value;
  }

  function chosen(world, atom, isUpper) {
    const { truth } = judgeFormula(world, atom.if, NO_AIM, null, []);
    if (truth === NOT_APPLICABLE) return OFF;
    return evaluate(world, truth === HOLDS ? atom.then : atom.otherwise, isUpper);
  }

  function firstSet(world, polys, isUpper) {
    for (const poly of polys) {
      const value = evaluate(world, poly, isUpper);
      if (value !== OFF) return value;
    }
    return OFF;
  }

  // Functions of the rule language

  function apply(name, values) {
    if (values.includes(OFF)) return OFF;
    if (values.includes(UNDEFINED)) return UNDEFINED;
    if (name === "min") return values.reduce((a, b) => (order(b, a) < 0 ? b : a));
    if (name === "max") return values.reduce((a, b) => (order(b, a) > 0 ? b : a));
    if (name === "ceil" || name === "floor") return isNumber(values[0]) ? fraction(outlast[name](values[0])) : values[0];
    return name === "tcp_give_up" ? tcpGiveUp(values[0]) : backoffTotal(...values);
  }

  /** Compares numbers and the two infinite ones. */
  function order(a, b) {
    if (isNumber(a) && isNumber(b)) return compare(a, b);
    return rank(a) - rank(b);
  }

  function rank(value) {
    return isNumber(value) ? 0 : value === PLUS ? 1 : -1;
  }

  /** How long Linux retransmits before it gives a connection up, in ns. */
  function tcpGiveUp(retries) {
    return backoffTotal(FIRST_RTO, fraction(2n), LARGEST_RTO, isNumber(retries) ? plus(retries, ONE) : retries);
  }

  /** The sum of min(cap, base * factor ** i) for i from 0 to retries - 1. */
  function backoffTotal(base, factor, cap, retries) {
    if (retries === PLUS) return [base, factor, cap].every((value) => order(value, ZERO) > 0) ? PLUS : UNDEFINED;
    if (!isNumber(retries) || retries.d !== 1n || retries.n < 0n || factor === MINUS) return UNDEFINED;
    if (retries.n === 0n) return ZERO;
    if (isNumber(factor)) return factor.n < 0n ? UNDEFINED : waits(base, factor, cap, retries);
    const later = order(base, ZERO) > 0 ? cap : ZERO;
    return added(apply("min", [cap, base]), repeated(retries.n - 1n, later));
  }

  function waits(base, factor, cap, retries) {
    let [total, wait] = [ZERO, base];
    const most = MOST_WAITS[factor.d > 1n ? 1 : 0];
    for (let done = 0n; done < retries.n; done += 1n) {
      if (order(wait, cap) >= 0 && compare(factor, ONE) >= 0) return added(total, repeated(retries.n - done, cap));
      if (done >= most) throw new Uncomputable(tooLong(retries.n, done));
      const next = apply("min", [cap, wait]);
      if (compare(factor, ONE) === 0 || (isNumber(wait) && wait.n === 0n)) return added(total, repeated(retries.n - done, next));
      total = added(total, next);
      wait = isNumber(wait) ? times(wait, factor) : wait;
    }
    return total;
  }

  function tooLong(retries, done) {
    return (
      `backoff over ${retries} retries is too long to be computed: after ${done} waits the cap is not reached; ` +
      "lower the cap or the number of retries"
    );
  }

  function repeated(count, value) {
    if (count === 0n) return ZERO;
    return isNumber(value) ? times(fraction(count), value) : value;
  }

  function added(left, right) {
    if (isNumber(left) && isNumber(right)) return plus(left, right);
    if ((left === PLUS && right === MINUS) || (left === MINUS && right === PLUS)) return UNDEFINED;
    return isNumber(left) ? right : left;
  }

  // Comparisons and what is made of them

  /** Whether a formula holds at these values; one that does not apply does not. */
  function holds(world, formula) {
    return judgeFormula(world, formula, NO_AIM, null, []).truth === HOLDS;
  }

  /** {truth, score} (1 where nothing scores) of a formula; what was compared is appended to `told`. */
  function judgeFormula(world, number, aim, margin, told) {
    const formula = world.data.formulas[number];
    if (formula.left !== undefined) {
      const judged = compared(world, formula, margin, aim);
      told.push(judged);
      return { truth: judged.truth, score: judged.score ?? ONE };
    }
    if (formula.is !== undefined) {
      const isSo = stateOf(world, formula.of) === formula.is;
      return { truth: isSo === formula.wanted ? HOLDS : BROKEN, score: ONE };
    }
    if (formula.given !== undefined) {
      if (judgeFormula(world, formula.given, aim, null, told).truth !== HOLDS) return { truth: HOLDS, score: ONE };
      return judgeFormula(world, formula.then, aim, margin, told);
    }
    const parts = (formula.all ?? formula.either).map((part) => judgeFormula(world, part, aim, margin, told));
    return formula.all === undefined ? ofEither(parts) : ofAll(parts);
  }

  function ofAll(parts) {
    const [good, isBroken] = sorted(parts);
    const score = good.reduce((a, b) => (compare(b, a) < 0 ? b : a), ONE);
    return { truth: isBroken ? BROKEN : good.length ? HOLDS : NOT_APPLICABLE, score };
  }

  function ofEither(parts) {
    const [good, isBroken] = sorted(parts);
    const score = good.length ? good.reduce((a, b) => (compare(b, a) > 0 ? b : a)) : ONE;
    return { truth: good.length ? HOLDS : isBroken ? BROKEN : NOT_APPLICABLE, score };
  }

  /** The scores of the parts that hold, and whether one is broken. */
  function sorted(parts) {
    const good = parts.filter((part) => part.truth === HOLDS).map((part) => part.score);
    return [good, parts.some((part) => part.truth === BROKEN)];
  }

  function compared(world, comparison, margin, aim) {
    if (comparison.means !== null) return multiple(world, comparison, aim);
    const left = evaluate(world, comparison.left, !comparison.optimistic);
    const right = evaluate(world, comparison.right, comparison.optimistic);
    const told = { comparison, left, right, score: null };
    if (left === OFF || right === OFF) return { ...told, truth: NOT_APPLICABLE };
    if (left === UNDEFINED || right === UNDEFINED) return { ...told, truth: BROKEN };
    if (!comparison.orders) return { ...told, truth: equal(left, right) === comparison.wanted ? HOLDS : BROKEN };
    const scores = !comparison.optimistic;
    const isKept = isLess(left, right, comparison.strict);
    const isWide = isKept && (margin === null || !scores || isLess(withMargin(left, margin), right, false));
    const score = isWide && scores && aim.amount.n !== 0n ? scoreOf(left, right, aim) : null;
    return { ...told, truth: isWide ? HOLDS : BROKEN, score };
  }

  /** The sides are the two numbers; what is divided by 0, or by and from what is infinite, has none. */
  function multiple(world, comparison, aim) {
    const judged = compared(world, world.data.formulas[comparison.means], null, aim);
    const [left, right] = [comparison.left, comparison.right].map((side) => evaluate(world, side, true));
    const isUndefined = judged.left === UNDEFINED || judged.right === UNDEFINED;
    return { comparison, left, right: isUndefined ? UNDEFINED : right, truth: judged.truth, score: null };
  }

  function equal(left, right) {
    return isNumber(left) && isNumber(right) ? compare(left, right) === 0 : left === right;
  }

  function isLess(left, right, isStrict) {
    const found = order(left, right);
    return found < 0 || (found === 0 && !isStrict);
  }

  function withMargin(left, margin) {
    if (!isNumber(left)) return left;
    return margin.isRelative ? times(left, plus(ONE, margin.amount)) : plus(left, margin.amount);
  }

  function scoreOf(left, right, aim) {
    if (!isNumber(left) || !isNumber(right) || left.n <= 0n) return ONE;
    const gained = aim.isRelative ? minus(over(right, left), ONE) : minus(right, left);
    const score = over(gained, aim.amount);
    return compare(score, ONE) < 0 ? score : ONE;
  }

  /** The value as far as it matters whether it is off or infinite: measured bounds are some number above 0. */
  function stateOf(world, poly) {
    world.states ??= worldWith(world.data, world.values, () => ONE);
    return evaluate(world.states, poly, true);
  }

  /** Right minus left; infinite if right is, null where that has no value. */
  function slackOf({ left, right, truth }) {
    if (isNumber(left) && isNumber(right)) return minus(right, left);
    return right === PLUS && left !== PLUS && truth !== NOT_APPLICABLE ? PLUS : null;
  }

  /** Right / left - 1; infinite where left is 0 or less or right is infinite, null where that has no value. */
  function headroomOf(judged) {
    const slack = slackOf(judged);
    if (!isNumber(slack)) return slack;
    return judged.left.n > 0n ? over(slack, judged.left) : PLUS;
  }

  // Verdicts

  /** A rule's verdict: {truth, marginKept, score, judged, missing, error}; `error` says why it cannot be computed. */
  function judge(world, rule) {
    try {
      return verdictOf(world, rule);
    } catch (error) {
      if (!(error instanceof Uncomputable)) throw error;
      return { ...verdict(BROKEN, false, null, []), error: error.message };
    }
  }

  function verdict(truth, marginKept, score, judged) {
    return { truth, marginKept, score, judged, missing: null, error: null };
  }

  function verdictOf(world, rule) {
    const [aim, margin] = [readMargin(rule.aim), readMargin(rule.margin)];
    const told = [];
    if (rule.when !== null && judgeFormula(world, rule.when, NO_AIM, null, told).truth !== HOLDS) {
      return verdict(NOT_APPLICABLE, true, null, told);
    }
    for (const [name, poly] of rule.needs_on) {
      if (stateOf(world, poly) === OFF) return { ...verdict(BROKEN, false, null, []), missing: name };
    }
    if (rule.muted_by.some((poly) => stateOf(world, poly) === OFF)) return verdict(NOT_APPLICABLE, true, null, []);
    const judged = [];
    const found = judgeFormula(world, rule.formula, aim, null, judged);
    const truth = found.truth !== BROKEN && isIdle(world, rule.formula) ? NOT_APPLICABLE : found.truth;
    const isKept = truth !== BROKEN && (margin === null || judgeFormula(world, rule.formula, aim, margin, []).truth !== BROKEN);
    return verdict(truth, isKept, truth === HOLDS && rule.scores ? found.score : null, judged);
  }

  /** Whether the formula is an implication whose condition does not hold. */
  function isIdle(world, number) {
    const { given } = world.data.formulas[number];
    return given !== undefined && !holds(world, given);
  }

  function readMargin(margin) {
    return margin === null ? null : { amount: outlast.read(margin.amount), isRelative: margin.exponent === null };
  }

  /** The comparison that says most: the first broken one, else the one with the lowest score, else the first; null: there is none. */
  function decisiveOf({ truth, judged }) {
    const applicable = judged.filter((each) => each.truth !== NOT_APPLICABLE && !each.comparison.optimistic);
    const broken = applicable.find((each) => each.truth === BROKEN);
    if (truth === BROKEN && broken) return broken;
    const scored = applicable.filter((each) => each.score !== null);
    if (scored.length) return scored.reduce((a, b) => (compare(b.score, a.score) < 0 ? b : a));
    return applicable[0] ?? judged[0] ?? null;
  }

  // All at once

  /**
   * Everything at these values: {world, verdicts: Map by id of the rules whose values are all known, rules, derived: as `derivedValues`}.
   *
   * `rules` is by id what `check --format json` says of each: booleans and null are the same, numbers are the texts that stand there.
   * Besides: `missing` names the parameters without a value (null: none), `error` says why the rule cannot be computed (null: it can).
   */
  function judgedAt(data, written) {
    const world = worldOf(data, written);
    const [verdicts, rules] = [new Map(), Object.create(null)];
    for (const rule of data.rules) {
      const missing = missingIn(world, rule.names);
      if (!missing.length) verdicts.set(rule.id, judge(world, rule));
      rules[rule.id] = missing.length ? unjudged(missing) : told(verdicts.get(rule.id));
    }
    return { world, verdicts, rules, derived: derivedValues(world) };
  }

  function unjudged(missing) {
    return { ...told(verdict(NOT_APPLICABLE, true, null, [])), missing };
  }

  function told(verdict) {
    const judged = decisiveOf(verdict);
    const shown = {
      holds: verdict.truth === HOLDS,
      applies: verdict.truth !== NOT_APPLICABLE,
      ...sides(judged),
      score: verdict.score === null ? null : outlast.roundedDown(verdict.score, 3),
      margin_kept: verdict.marginKept,
      missing: null,
      error: verdict.error,
    };
    return verdict.missing === null ? shown : { ...shown, off: verdict.missing };
  }

  function sides(judged) {
    if (judged === null) return { left: null, sign: null, right: null, slack: null, headroom: null, headroom_exact: null };
    const { exponent, sign, orders } = judged.comparison;
    const headroom = orders ? headroomOf(judged) : null;
    return {
      left: outlast.formatValue(judged.left, exponent),
      sign,
      right: outlast.formatValue(judged.right, exponent),
      slack: outlast.formatValue(slackOf(judged), exponent),
      headroom: outlast.headroomText(headroom),
      headroom_exact: outlast.written(headroom),
    };
  }

  /** By name, what the derived parameters come to (fractions, infinite or off), where all they depend on is known. */
  function derivedValues(world) {
    const found = Object.create(null);
    for (const { name, poly, names } of world.data.parameters) {
      const value = poly === null || missingIn(world, names).length ? null : derived(world, poly);
      if (value !== null) found[name] = value;
    }
    return found;
  }

  /** With the upper bounds of measured quantiles, with the lower ones where there are no others. */
  function derived(world, poly) {
    for (const isUpper of [true, false]) {
      try {
        const value = evaluate(world, poly, isUpper);
        return value === MINUS || value === UNDEFINED ? null : value;
      } catch (error) {
        if (!(error instanceof Uncomputable)) throw error;
      }
    }
    return null;
  }

  Object.assign(outlast, {
    Uncomputable, unpacked, worldOf, worldWith, effective, missingIn, evaluate, holds, decisiveOf, slackOf, headroomOf, judgedAt,
  });
})(globalThis.outlast ??= {});
