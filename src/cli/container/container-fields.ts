/** Rules for single values of containers and of their hardware, told by the flag that sets the value. */

import { settleCommand, shellLineOf } from './container-command.ts';
import { addVariables, completeVariables, removeVariables, unchangedOrEmpty } from './environment.ts';
import { arg, option } from '../model/params.ts';
import { REGISTRIES } from '../resource/collections.ts';
import type { Field, Fields } from '../resource/fields.ts';
import { pick } from '../resource/arguments.ts';
import { usage } from '../../core/failure.ts';
import { arrayOf, type Json, numberOf, objectOf, stringOf } from '../../core/json.ts';
import { list } from '../../output/cells.ts';

/** The service refuses values that are not numbers. */
export const atLeast =
  (flag: string, least: number, unit = '') =>
  (given: Json | undefined): void => {
    const value = numberOf(given);
    if (value !== undefined && !(value >= least && Number.isInteger(value)))
      throw usage(`${flag} is a whole number of at least ${least}${unit}; ${value} is not`);
  };

/** The rule for vCPUs (specification 8.3; contract rules, Pods). */
export function vcpuCount(given: Json | undefined): void {
  const count = numberOf(given);
  if (count !== undefined && !(count >= 2 && Number.isInteger(Math.log2(count))))
    throw usage(`--vcpu is a power of two, at least 2; ${count} is not`);
}

const MAX_PORT = 65_535;

/** `8080/http`; the service checks the protocol (contract, ports). */
function ports(given: Json): void {
  for (const each of arrayOf(given) ?? []) {
    const text = stringOf(each);
    const number = Number(/^(\d+)\/[a-z]+$/i.exec(text ?? '')?.[1] ?? 0);
    if (text !== undefined && (number < 1 || number > MAX_PORT))
      throw usage(
        `--port ${JSON.stringify(text)} is no port and protocol`,
        `A port of 1 to ${MAX_PORT}, a slash and a protocol: --port 8080/http`,
      );
  }
}

/** A pasted URL or line break is not a valid image name. */
function imageName(given: Json): void {
  const text = stringOf(given) ?? '';
  if (/[\s\p{Cc}]|^[a-z]+:\/\//iu.test(text))
    throw usage(
      `--image ${JSON.stringify(text)} is not the name of an image`,
      'Write REGISTRY/NAME:TAG, without https://.',
    );
}

/** Programs cannot read a variable with an invalid name. */
function variableNames(given: Json): void {
  const wrong = Object.keys(objectOf(given) ?? {}).find((name) => !/^[^\s\p{Cc}=]+$/u.test(name));
  if (wrong !== undefined)
    throw usage(
      `--env ${JSON.stringify(wrong)} cannot be the name of a variable`,
      'A name has no white space and no "=".',
    );
}

/** Empty text removes the version (contract, minCudaVersion). */
export const cudaVersions =
  (flag: string) =>
  (given: Json): void => {
    for (const each of arrayOf(given) ?? [given]) {
      const text = stringOf(each);
      if (text !== undefined && text !== '' && !/^\d+\.\d+$/.test(text))
        throw usage(`${flag} ${JSON.stringify(text)} is no CUDA version`, `Two numbers: ${flag} 12.8`);
    }
  };

/** Clusters have these without the registry (specification 2.1 and 9). All can be created and updated. */
export const CONTAINER_FIELDS = {
  image: {
    path: 'image',
    check: imageName,
    write: option.text('the container image', {
      metavar: 'IMAGE',
      ask: { kind: 'text', question: 'Image', answer: 'an image' },
    }),
  },
  args: {
    path: 'args',
    write: option.text('its command as one text, split as in a shell'),
    complete: settleCommand,
  },
  // Decoded `args` (additions 2).
  entrypoint: {
    path: 'entrypoint',
    type: 'list',
    show: shellLineOf('entrypoint'),
    lines: (row) =>
      [{ label: 'entrypoint', value: shellLineOf('entrypoint')(row) }].filter(({ value }) => value.text !== ''),
    write: option.texts("in the place of the image's entrypoint: one word, repeatable", { metavar: 'WORD' }),
  },
  cmd: {
    path: 'cmd',
    type: 'list',
    show: shellLineOf('cmd'),
    write: option.texts('one word of the command, repeatable; or all words after --', { metavar: 'WORD' }),
  },
  command: {
    writeOnly: true,
    write: { param: arg.afterDashes('the command and its arguments, as they are', '-- COMMAND ARGS...'), path: 'cmd' },
  },
  disk: {
    path: 'disk',
    type: 'gigabytes',
    check: atLeast('--disk', 1, ' GB'),
    write: option.count('container disk in GB, erased on restart; billed separately', 1, {
      metavar: 'GB',
    }),
  },
  port: {
    path: 'ports',
    type: 'list',
    label: 'ports',
    check: ports,
    lines: (row) => [{ label: 'ports', value: list('ports')(row).join(', ') }],
    write: option.list('ports to publish, such as 8080/http', { metavar: 'PORT/PROTOCOL' }),
  },
  env: {
    path: 'env',
    type: 'pairs',
    check: variableNames,
    write: {
      param: option.texts('an environment variable; NAME=@secret:SECRET for a secret', {
        short: '-e',
        metavar: 'NAME=VALUE',
      }),
      value: addVariables,
    },
    complete: completeVariables,
  },
  envFrom: {
    writeOnly: true,
    write: {
      param: option.texts('read variables from a file of NAME=VALUE lines', {
        metavar: 'FILE',
        complete: 'file',
      }),
      path: 'env',
      value: unchangedOrEmpty,
    },
  },
  unsetEnv: {
    writeOnly: true,
    update: {
      param: option.list('remove these variables', { metavar: 'NAME' }),
      path: 'env',
      value: removeVariables,
    },
  },
  replaceEnv: {
    writeOnly: true,
    update: {
      param: option.on('replace all variables by those that are given'),
      path: 'env',
      value: unchangedOrEmpty,
    },
  },
  registry: {
    path: 'registry',
    write: option.text('credential for a private image, by id or name', {
      metavar: 'REGISTRY',
      complete: REGISTRIES,
      ask: pick(REGISTRIES),
    }),
  },
} as const satisfies Fields;

export const CONTAINER_SECTION = {
  title: 'container',
  fields: ['image', 'entrypoint', 'cmd', 'disk', 'registry', 'port', 'env'],
} as const;

export const CONTAINER_MEMBERS = ['image', 'args', 'entrypoint', 'cmd', 'disk', 'ports', 'env', 'registry'] as const;

export const NAME_FLAG = option.text('its name', {
  metavar: 'NAME',
  ask: { kind: 'text', question: 'Name', answer: 'a name' },
});

export const CREATED_AT = { path: 'createdAt', type: 'time', label: 'created', column: { header: 'AGE' } } as const;

export const onOff = (summary: string) => ({
  param: option.choice(summary, ['on', 'off']),
  value: (word: string): Json => word === 'on',
});

/** For resources that accept it at creation and never show it. */
export const createOnly = ({ write, ...field }: Field): Field => ({
  ...field,
  writeOnly: true,
  ...(write === undefined ? {} : { create: write }),
});
