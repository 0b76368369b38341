import { Ajv2020 } from 'ajv/dist/2020.js';
import { describe, expect, it, test } from 'vitest';
import { parseYaml } from '../../../src/cli/resource/body/parse-yaml.ts';
import type { Json } from '../../../src/core/json.ts';
import { POLICY_SCHEMA } from '../../../src/guard/policy/policy-schema.ts';
import { readPolicy } from '../../../src/guard/policy/policy.ts';

const isValid = new Ajv2020().compile(POLICY_SCHEMA);
const read = (text: string): Json => parseYaml(text, 'policy');

const FULL = `
deadlines: false
allowTerminate: true
maxActions: 3
rules:
  - name: idle notebooks
    select: { match: 'nb-*', status: [RUNNING], olderThan: 1d, costAbove: 0.5 }
    when: { idle: { for: 2h, gpu: 3, memory: 20 } }
    do: stop
  - select: { dataCenter: [EU-NORTH-1], gpu: GPU-80G }
    when: { accountPerHour: 50 }
exceptions:
  - { match: [train-llm, 'exp-*'], until: 2026-12-01, reason: a paper }
`;

test('a policy is read with its defaults, and an exception lasts to the end of its day', () => {
  expect(readPolicy(read(FULL))).toEqual({
    allowTerminate: true,
    maxActions: 3,
    rules: [
      {
        name: 'idle notebooks',
        select: { match: ['nb-*'], status: ['RUNNING'], olderThan: 86_400_000, costAbove: 0.5 },
        when: { kind: 'idle', limits: { forMs: 7_200_000, gpu: 3, cpu: 10, memory: 20 } },
        action: 'stop',
      },
      {
        name: 'rules[1]',
        select: { dataCenter: ['EU-NORTH-1'], gpu: ['GPU-80G'] },
        when: { kind: 'account-per-hour', dollars: 50 },
        action: 'report',
      },
    ],
    exceptions: [{ match: ['train-llm', 'exp-*'], until: Date.parse('2026-12-02'), reason: 'a paper' }],
  });
});

test('an empty policy keeps deadlines, and terminates nothing', () => {
  expect(readPolicy({})).toMatchObject({
    allowTerminate: false,
    maxActions: 10,
    rules: [{ name: 'deadline', when: { kind: 'deadline' } }],
  });
});

describe('a policy is accepted by its schema where it is accepted', () => {
  it.each([
    '{}',
    FULL,
    'rules: []',
    'rules: [{when: {idle: 90m}}]',
    'rules: [{when: {deadline: true}, name: mine}]',
    'rules: [{when: {noDeadline: true}, do: report}]',
    'rules: [{when: {age: 1h30m}, do: terminate}]',
    'rules: [{when: {running: 2d}}, {when: {spent: 20}}, {when: {accountMonth: 1000.5}}]',
    'rules: [{when: {spent: {dollars: 20, since: creation}}, do: stop}]',
    'rules: [{select: {match: "api-*", olderThan: 1d}, when: {noJobs: 2h}, do: scale-to-zero}, {when: {unusedStorage: true}}]',
  ])('%s', (text) => {
    expect(isValid(read(text))).toBe(true);
    expect(() => readPolicy(read(text))).not.toThrow();
  });
});

describe('a policy is refused by its schema and with the name of the member', () => {
  it.each([
    ['[]', 'the policy is not an object'],
    ['', 'the policy is empty'],
    ['rule: []', 'no member "rule"'],
    ['rules: {}', 'rules is not a list'],
    ['rules: [{}]', 'rules\\[0\\] needs a condition'],
    ['rules: [{when: {}}]', 'exactly one condition'],
    ['rules: [{when: {age: 1h, running: 1h}}]', 'exactly one condition'],
    ['rules: [{when: {age: 3}}]', 'rules\\[0\\]\\.when\\.age is not a duration'],
    ['rules: [{when: {age: soon}}]', 'rules\\[0\\]\\.when\\.age'],
    ['rules: [{when: {idle: {gpu: 3}}}]', 'rules\\[0\\]\\.when\\.idle needs a time'],
    ['rules: [{when: {idle: {for: 1h, gpus: 3}}}]', 'no member "gpus"'],
    ['rules: [{when: {deadline: false}}]', 'is not true'],
    ['rules: [{when: {spent: -1}}]', 'spent is not an amount'],
    ['rules: [{when: {spent: "20"}}]', 'spent is not an amount'],
    ['rules: [{when: {age: 1h}, do: delete}]', 'do is not one of report, stop, terminate, scale-to-zero'],
    ['rules: [{when: {spent: {since: start}}}]', 'spent needs an amount'],
    ['rules: [{when: {spent: {dollars: 1, since: never}}}]', 'since is not one of start, creation'],
    ['rules: [{when: {noJobs: true}}]', 'noJobs is not a duration'],
    ['rules: [{when: {unusedStorage: 1h}}]', 'unusedStorage is not true'],
    ['rules: [{when: {age: 1h}, select: {names: [a]}}]', 'no member "names"'],
    ['rules: [{when: {age: 1h}, select: {match: ""}}]', 'match is not a text'],
    ['rules: [{when: {age: 1h}, select: {status: RUNING}}]', 'status is not one of PROVISIONING'],
    ['exceptions: [{match: a}]', 'exceptions\\[0\\] needs an end'],
    ['exceptions: [{until: 2026-12-01}]', 'exceptions\\[0\\] needs the pods'],
    ['maxActions: 0', 'maxActions is not'],
    ['allowTerminate: yes', 'allowTerminate is not true or false'],
  ])('%s', (text, says) => {
    expect(isValid(read(text))).toBe(false);
    expect(() => readPolicy(read(text))).toThrow(new RegExp(says));
  });

  it.each([
    ['rules: [{when: {age: 1h}, do: stpo}]', 'Did you mean stop?'],
    ['rulse: []', 'Did you mean rules?'],
    ['rules: [{wehn: {age: 1h}}]', 'Did you mean when?'],
    ['rules: [{when: {age: 1h}, select: {status: RUNING}}]', 'Did you mean RUNNING?'],
  ])('with the nearest word: %s', (text, hint) => {
    expect(() => readPolicy(read(text))).toThrow(expect.objectContaining({ hint }) as Error);
  });

  it.each([
    ['two rules of one name', 'rules: [{name: a, when: {age: 1h}}, {name: a, when: {age: 2h}}]', /two rules/],
    [
      'a day that is not on the calendar',
      'exceptions: [{match: a, until: 2026-02-30}]',
      /until is not on the calendar/,
    ],
    ['a stop of an endpoint', 'rules: [{when: {noJobs: 1h}, do: stop}]', /rules\[0\] cannot stop for its condition/],
    ['a pod that scales', 'rules: [{when: {age: 1h}, do: scale-to-zero}]', /cannot scale-to-zero/],
    ['a deletion of a volume', 'rules: [{when: {unusedStorage: true}, do: terminate}]', /cannot terminate/],
    ['an endpoint by its GPU', 'rules: [{when: {noJobs: 1h}, select: {gpu: GPU-80G}}]', /selects by gpu/],
  ])('%s, which a schema cannot say', (_, text, says) => {
    expect(() => readPolicy(read(text))).toThrow(says);
  });
});
