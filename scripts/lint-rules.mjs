/** The rules of this project that no linter has, each a selector of syntax. Read by .oxlintrc.json. */

/** A command of berth in a text: `core/message` adds what chose the account, and quotes. Texts of help name commands in general. */
const NOUNS =
  'pods|endpoints|clusters|jobs|queue|health|top|volumes|secrets|templates|registries|catalog|billing|account|limits|auth|config|local|doctor|api|schema|completion|help';
const IN_TEXT = `/\\bberth (--[a-z-]+ )*(${NOUNS})\\b(?! service)/`;
const OF_HELP =
  'Property[key.name=/^(summary|details|examples)$/] *, Property[key.name=/^(create|update|write)$/] > ObjectExpression > Property[key.name=/^(on|text|texts|list|count|choice|duration)$/] *, CallExpression[callee.object.name=/^(option|arg)$/] *, CallExpression[callee.name="defineGroup"] > *, VariableDeclarator[id.name="SOURCES"] > *';

/**
 * A file of a package that is none of its entrances. Those of undici are loaded one by one, because its entrance loads all of
 * them at each start; `ajv/dist/2020.js` is an entrance.
 */
const PRIVATE_FILE = String.raw`/^(?!\.|node:|undici\u002Flib\u002F|ajv\u002Fdist\u002F2020)(@[^\u002F]+\u002F)?[^\u002F]+\u002F(src|lib|dist)\u002F/`;

/** A rule that refuses what matches one of `selectors`. */
const refuse = (message, ...selectors) => ({
  create: (context) =>
    Object.fromEntries(selectors.map((selector) => [selector, (node) => context.report({ node, message })])),
});

export default {
  meta: { name: 'berth' },
  rules: {
    'no-today': refuse(
      'Only bin, main and host touch the real world; take this from the Context or a parameter.',
      'NewExpression[callee.name="Date"][arguments.length=0]',
    ),
    // The wall clock may jump at any time, so a span must not be measured with it.
    'no-wall-clock': refuse(
      'Measure spans with clock.monotonic(). Where a date is meant, disable this rule for the line: "-- a date".',
      'CallExpression[callee.property.name="now"][callee.object.name!=/^(performance|Date)$/]',
    ),
    'printed-command': refuse(
      'Write a command that is printed with the tags `sentence` and `berth` of core/message.ts.',
      `Literal[value=${IN_TEXT}]:not(${OF_HELP})`,
      `TemplateElement[value.raw=${IN_TEXT}]:not(${OF_HELP})`,
    ),
    'public-interface': refuse(
      'Use the public interface of the package.',
      `ImportDeclaration[source.value=${PRIVATE_FILE}]`,
      `ImportExpression[source.value=${PRIVATE_FILE}]`,
    ),
    // The compiler looks for members too many in what is written out, and not in a spread.
    'no-literal-spread': refuse(
      'Write its members out.',
      'ObjectExpression > SpreadElement[argument.type="ObjectExpression"]',
    ),
    'no-default-export': refuse('Export by name.', 'ExportDefaultDeclaration'),
  },
};
