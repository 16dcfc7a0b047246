/**
 * Lint rules of this project that no ready-made rule can express.
 */

function isDate(node) {
  return node.type === 'Identifier' && node.name === 'Date';
}

/** Reads of the wall clock: `Date.now`, `new Date()` and `Date()`. `new Date(ms)` only converts. */
const noWallClock = {
  create(context) {
    const report = (node) =>
      context.report({ node, message: 'This folder is pure: take the time from a Clock argument.' });
    return {
      NewExpression(node) {
        if (isDate(node.callee) && node.arguments.length === 0) report(node);
      },
      CallExpression(node) {
        if (isDate(node.callee)) report(node);
      },
      MemberExpression(node) {
        const name = node.computed ? node.property.value : node.property.name;
        if (isDate(node.object) && name === 'now') report(node);
      },
    };
  },
};

export default {
  meta: { name: 'hivemail' },
  rules: { 'no-wall-clock': noWallClock },
};
