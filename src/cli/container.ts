/** The fields of the container of pods, endpoints, templates and clusters. */
import type { Json } from '../core/json.ts';
import { settleCommand, shellLineOf } from './container-command.ts';
import { pick } from './resource/arguments.ts';
import { REGISTRIES } from './resource/collections.ts';
import { type Field, type Fields, onOneLine } from './resource/fields.ts';
import { addVariables, completeVariables, removeVariables, unchangedOrEmpty } from './variables.ts';

export const CUDA_FORM = [/^(?:\d+\.\d+)?$/, 'a version such as 12.8'] as const;

/** Clusters have these without the registry (specification 2.1 and 9). All can be created and updated. */
export const CONTAINER_FIELDS = {
  image: {
    path: 'image',
    // oxlint-disable-next-line no-control-regex -- they are refused
    form: [/^(?![a-z]+:\/\/)[^\s\0-\x1f\x7f-\x9f]*$/i, 'REGISTRY/NAME:TAG, without https://'],
    write: {
      text: 'the container image',
      metavar: 'IMAGE',
      ask: { kind: 'text', question: 'Image', answer: 'an image' },
    },
  },
  args: {
    path: 'args',
    write: { text: 'its command as one text, split as in a shell' },
    complete: settleCommand,
  },
  // Decoded `args` (additions 2).
  entrypoint: {
    path: 'entrypoint',
    type: 'list',
    show: shellLineOf('entrypoint'),
    write: { texts: "in the place of the image's entrypoint: one word, repeatable", metavar: 'WORD' },
  },
  cmd: {
    path: 'cmd',
    type: 'list',
    show: shellLineOf('cmd'),
    write: { texts: 'one word of the command, repeatable; or all words after --', metavar: 'WORD' },
  },
  command: {
    writeOnly: true,
    write: { afterDashes: 'the command and its arguments, as they are', metavar: '-- COMMAND ARGS...', path: 'cmd' },
  },
  disk: {
    path: 'disk',
    type: 'gigabytes',
    write: { count: 'container disk in GB, erased on restart; billed separately', least: 1, metavar: 'GB' },
  },
  port: {
    path: 'ports',
    type: 'list',
    label: 'ports',
    show: onOneLine('ports'),
    form: [/^(?:[1-9]\d{0,4}\/[a-z]+)?$/i, 'a port and a protocol, such as 8080/http'],
    write: { list: 'ports to publish, such as 8080/http', metavar: 'PORT/PROTOCOL' },
  },
  env: {
    path: 'env',
    type: 'pairs',
    // oxlint-disable-next-line no-control-regex -- they are refused
    form: [/^[^\s=\0-\x1f\x7f-\x9f]*$/, 'a name without white space'],
    write: {
      texts: 'an environment variable; NAME=@secret:SECRET for a secret',
      short: '-e',
      metavar: 'NAME=VALUE',
      value: addVariables,
    },
    complete: completeVariables,
  },
  envFrom: {
    writeOnly: true,
    write: {
      texts: 'read variables from a file of NAME=VALUE lines',
      metavar: 'FILE',
      complete: 'file',
      path: 'env',
      value: unchangedOrEmpty,
    },
  },
  unsetEnv: {
    writeOnly: true,
    update: {
      list: 'remove these variables',
      metavar: 'NAME',
      path: 'env',
      value: removeVariables,
    },
  },
  replaceEnv: {
    writeOnly: true,
    update: {
      on: 'replace all variables by those that are given',
      path: 'env',
      value: unchangedOrEmpty,
    },
  },
  registry: {
    path: 'registry',
    write: {
      text: 'credential for a private image, by id or name',
      metavar: 'REGISTRY',
      complete: REGISTRIES,
      ask: pick(REGISTRIES),
    },
  },
} as const satisfies Fields;

export const CONTAINER_SECTION = {
  title: 'container',
  fields: ['image', 'entrypoint', 'cmd', 'disk', 'registry', 'port', 'env'],
} as const;

export const CONTAINER_MEMBERS = ['image', 'args', 'entrypoint', 'cmd', 'disk', 'ports', 'env', 'registry'] as const;

export const NAME_FLAG = {
  text: 'its name',
  metavar: 'NAME',
  ask: { kind: 'text', question: 'Name', answer: 'a name' },
} as const;

export const CREATED_AT = { path: 'createdAt', type: 'time', label: 'created', column: { header: 'AGE' } } as const;

/** Of a `choice` that can be undone, unlike a switch. */
export const ON_OFF = { choices: ['on', 'off'], value: (word: string): Json => word === 'on' } as const;

/** For resources that accept it at creation and never show it. */
export const createOnly = ({ write, ...field }: Field): Field => ({
  ...field,
  writeOnly: true,
  ...(write === undefined ? {} : { create: write }),
});
