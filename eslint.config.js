import js from '@eslint/js';
import { defineConfig } from 'eslint/config';
import tseslint from 'typescript-eslint';

/** What a file of the program reaches for only through the Context, so that tests run with a world of their own. */
const WORLD = 'Only bin, main and host touch the real world; take this from the Context or a parameter.';
const SLOW = "Node's own fetch and its classes load a second HTTP client at start; use src/http.";

/**
 * The wall clock may jump at any time, so a span must not be measured with it. Where a date is meant, the line says so:
 * `// eslint-disable-next-line no-restricted-syntax -- a date`.
 */
const WALL_CLOCK = {
  selector: 'CallExpression[callee.property.name="now"][callee.object.name!=/^(performance|Date)$/]',
  message: 'Measure spans with clock.monotonic(). Where a date is meant, disable this rule for the line: "-- a date".',
};

const SYNTAX = [
  {
    selector: 'NewExpression[callee.name="Date"][arguments.length=0]',
    message: WORLD,
  },
  { selector: 'TSEnumDeclaration', message: 'Use a union of literals.' },
];

/** A command of berth in a text: `core/message` adds what chose the account, and quotes. Texts of help name commands in general. */
const NOUNS =
  'pods|endpoints|clusters|jobs|queue|health|top|volumes|secrets|templates|registries|catalog|billing|account|limits|auth|config|local|doctor|api|schema|completion|help';
const IN_TEXT = `/\\bberth (--[a-z-]+ )*(${NOUNS})\\b(?! service)/`;
const OF_HELP =
  'Property[key.name=/^(summary|details|examples)$/] *, CallExpression[callee.object.name=/^(option|arg)$/] *, CallExpression[callee.name="defineGroup"] > *, VariableDeclarator[id.name="SOURCES"] > *';
const PRINTED_COMMANDS = [`Literal[value=${IN_TEXT}]`, `TemplateElement[value.raw=${IN_TEXT}]`].map((text) => ({
  selector: `${text}:not(${OF_HELP})`,
  message: 'Write a command that is printed with the tags `sentence` and `berth` of core/message.ts.',
}));

const named = (names, message) => names.map((name) => ({ name, message }));
const members = (pairs) => pairs.map(([object, property]) => ({ object, property, message: WORLD }));

const NODE_GLOBALS = Object.fromEntries(
  ['process', 'console', 'Buffer', 'URL', 'setTimeout', 'clearTimeout', 'AbortSignal', 'performance'].map((name) => [
    name,
    'readonly',
  ]),
);

const FILES = 'Only host, settings and the local service open files; take ctx.files or a parameter.';
const WORLD_MODULES = named(
  ['node:process', 'process', 'node:console', 'node:timers', 'node:timers/promises', 'node:readline'],
  WORLD,
);

/**
 * Files of a package that are none of its entrances. Those of undici are loaded one by one, because its entrance loads all of
 * them at each start; `ajv/dist/2020.js` is an entrance.
 */
const PRIVATE_FILES = {
  regex: '^(?!\\.|node:|undici/lib/|ajv/dist/2020)(@[^/]+/)?[^/]+/(src|lib|dist)/',
  message: 'Use the public interface of the package.',
};

export default defineConfig([
  { ignores: ['dist/', 'dist-binary/', 'coverage/', '.scratch-*/', 'completions/', 'node_modules/'] },
  { linterOptions: { reportUnusedDisableDirectives: 'error' } },
  {
    // What a rule must ask the compiler for is in .oxlintrc.json: there it takes a tenth of the time.
    files: ['**/*.ts'],
    extends: [js.configs.recommended, tseslint.configs.strict, tseslint.configs.stylistic],
    rules: {
      eqeqeq: 'error',
      'no-param-reassign': 'error',
      'no-restricted-exports': ['error', { restrictDefaultExports: { direct: true, named: true, defaultFrom: true } }],
      '@typescript-eslint/consistent-type-definitions': ['error', 'interface'],
      '@typescript-eslint/consistent-type-imports': ['error', { fixStyle: 'separate-type-imports' }],
      // The compiler says it.
      '@typescript-eslint/no-unused-vars': 'off',
    },
  },
  {
    // A file of one idea is no longer than this, blank lines and comments counted.
    files: ['{src,test,scripts,bench}/**/*.{ts,mjs,cjs}'],
    rules: { 'max-lines': ['error', 400] },
  },
  {
    files: ['src/**/*.ts'],
    rules: { 'no-console': 'error' },
  },
  {
    files: ['test/**/*.ts'],
    rules: {
      'no-restricted-syntax': [
        'error',
        {
          selector:
            'ExpressionStatement > CallExpression[callee.object.type="MemberExpression"][callee.object.property.name=/^(resolves|rejects)$/], ExpressionStatement > CallExpression[callee.object.callee.property.name="poll"]',
          message: 'Await it, or it passes whatever happens.',
        },
      ],
    },
  },
  {
    files: ['src/**/*.ts'],
    ignores: ['src/main.ts', 'src/executable.ts', 'src/host/**'],
    rules: {
      'no-restricted-globals': [
        'error',
        ...named(
          [
            'process',
            'console',
            'performance',
            'setTimeout',
            'setInterval',
            'setImmediate',
            'clearTimeout',
            'clearInterval',
          ],
          WORLD,
        ),
        ...named(['fetch', 'Headers', 'FormData', 'Request', 'Response', 'WebSocket', 'EventSource'], SLOW),
      ],
      'no-restricted-properties': [
        'error',
        ...members([
          ['Date', 'now'],
          ['Math', 'random'],
          ['AbortSignal', 'timeout'],
          ['globalThis', 'process'],
          ['globalThis', 'console'],
        ]),
      ],
      'no-restricted-imports': [
        'error',
        {
          paths: [...WORLD_MODULES, ...named(['node:fs', 'node:fs/promises', 'fs'], FILES)],
          patterns: [PRIVATE_FILES],
        },
      ],
      'no-restricted-syntax': ['error', ...SYNTAX, WALL_CLOCK, ...PRINTED_COMMANDS],
    },
  },
  {
    // The rooms that open files themselves: what they write to a full disk ends 14.
    files: ['src/settings/*.ts', 'src/local/**', 'src/http/wire/client-errors.ts'],
    rules: { 'no-restricted-imports': ['error', { paths: WORLD_MODULES, patterns: [PRIVATE_FILES] }] },
  },
  {
    files: ['src/main.ts', 'src/executable.ts', 'src/host/**/*.ts'],
    rules: { 'no-restricted-syntax': ['error', WALL_CLOCK, ...PRINTED_COMMANDS] },
  },
  {
    // What help, completion and the local service say is of no run.
    files: ['src/{cli/help.ts,cli/completion/**,commands/help/**,commands/completion.ts}', 'src/local/**'],
    rules: { 'no-restricted-syntax': ['error', ...SYNTAX, WALL_CLOCK] },
  },
  {
    // Where a tool asks for a default export, or a package has one to describe.
    files: ['*.config.ts', '**/*.d.ts'],
    rules: { 'no-restricted-exports': 'off' },
  },
  {
    files: ['**/*.mjs', '*.js'],
    extends: [js.configs.recommended],
    languageOptions: { globals: NODE_GLOBALS },
  },
  {
    files: ['**/*.cjs', 'bin/berth'],
    extends: [js.configs.recommended],
    languageOptions: {
      sourceType: 'commonjs',
      globals: { ...NODE_GLOBALS, require: 'readonly', module: 'writable', __dirname: 'readonly' },
    },
  },
  {
    // Runs on any Node as far as the line that says it is too old.
    files: ['bin/berth'],
    languageOptions: { ecmaVersion: 5 },
    rules: { 'no-unused-vars': ['error', { caughtErrors: 'none' }] },
  },
]);
