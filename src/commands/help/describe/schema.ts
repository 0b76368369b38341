/** What `help --json` prints. */
import { manyOf, oneOf, ownObject, TEXT, WHOLE, YES_NO } from '../../../cli/model/output-schema.ts';

const TEXTS = manyOf(TEXT);
const SCALAR = { type: ['string', 'number'] };
const VALUE = {
  summary: TEXT,
  type: oneOf('switch', 'choice', 'integer', 'number', 'duration', 'json', 'path', 'url', 'text'),
};
const PARAM = { ...VALUE, required: YES_NO, repeatable: YES_NO };
const PARAM_FACTS = {
  commas: YES_NO,
  choices: TEXTS,
  default: SCALAR,
  onlyWithOneOf: TEXTS,
  requiredUnlessOneOf: TEXTS,
  valuesFrom: TEXT,
};

const AFTER_DASHES = { type: 'boolean', description: 'it takes the words after --, and no others' };

const COMMAND = ownObject(
  {
    command: TEXT,
    summary: TEXT,
    writes: YES_NO,
    changesMachine: YES_NO,
    destroys: YES_NO,
    asks: YES_NO,
    costs: YES_NO,
    waits: YES_NO,
    waitsWith: TEXTS,
    exitCodes: { ...manyOf(WHOLE), description: 'what it can end with beyond the common exit codes' },
    arguments: manyOf(ownObject({ name: TEXT, ...PARAM }, { ...PARAM_FACTS, afterDashes: AFTER_DASHES })),
    flags: manyOf(ownObject({ flag: TEXT, ...PARAM }, { short: TEXT, ...PARAM_FACTS })),
    examples: manyOf(ownObject({ command: TEXT, meaning: TEXT })),
  },
  {
    details: TEXT,
    exitCodeOfProgram: { type: 'boolean', description: 'it ends with the exit code of the program that it runs' },
    needsOneOf: manyOf(TEXTS),
    flagsFirst: { type: 'boolean', description: 'flags go before the arguments: those after them belong to a program' },
    fields: TEXTS,
    schema: TEXT,
  },
);

const COMMON = { type: 'boolean', description: 'every command can end with it' };

export const DESCRIPTION = ownObject({
  usage: TEXT,
  nouns: manyOf(ownObject({ noun: TEXT, section: TEXT, summary: TEXT })),
  globalFlags: manyOf(ownObject({ flag: TEXT, ...VALUE }, { short: TEXT, choices: TEXTS, variable: TEXT })),
  exitCodes: manyOf(ownObject({ code: WHOLE, name: TEXT, meaning: TEXT, common: COMMON })),
  settings: manyOf(
    ownObject(
      { name: TEXT, summary: TEXT, type: TEXT, secret: YES_NO, inProfile: YES_NO },
      { flag: TEXT, variable: TEXT, default: { type: ['string', 'number', 'boolean'] }, choices: TEXTS },
    ),
  ),
  variables: manyOf(ownObject({ variable: TEXT, summary: TEXT })),
  commands: manyOf(COMMAND),
});
