/** Lint rules of this project that no ready-made rule can express. */

/**
 * What the rules read of a syntax node.
 * @typedef {object} Node
 * @property {string} type
 * @property {string} [name]
 * @property {unknown} [value]
 * @property {Node} [callee]
 * @property {unknown[]} [arguments]
 * @property {Node} [object]
 * @property {Node} [property]
 */

const message = 'This folder is pure: take the time from a Clock argument.';

/** @param {Node | undefined} node */
const isDate = (node) => node?.type === 'Identifier' && node.name === 'Date';

/** Reads of the wall clock: `Date.now`, `new Date()` and `Date()`. `new Date(ms)` only converts. */
const noWallClock = {
  /** @param {{ report(problem: { node: Node, message: string }): void }} context */
  create(context) {
    return {
      /** @param {Node} node */
      NewExpression(node) {
        if (isDate(node.callee) && node.arguments?.length === 0) context.report({ node, message });
      },
      /** @param {Node} node */
      CallExpression(node) {
        if (isDate(node.callee)) context.report({ node, message });
      },
      /** @param {Node} node */
      MemberExpression(node) {
        const { object, property } = node;
        const isNow = property?.name === 'now' || property?.value === 'now';
        if (isDate(object) && isNow) context.report({ node, message });
      },
    };
  },
};

export default {
  meta: { name: 'hivemail' },
  rules: { 'no-wall-clock': noWallClock },
};
