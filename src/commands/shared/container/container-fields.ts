import type { Json } from '../../../core/json.ts';
import { arg, option } from '../../../cli/model/params.ts';
import type { Field, Fields } from '../../../cli/resource/fields/fields.ts';
import { list } from '../../../output/cells/cell-functions.ts';
import { REGISTRIES } from '../collections.ts';
import {
  addVariables,
  completeEnvironment,
  fillEnvironment,
  removeVariables,
  unchangedOrEmpty,
} from '../environment.ts';
import { atLeast, imageName, ports, variableNames } from './value-rules.ts';
import { settleCommand, shellLineOf, tellShellLine } from './container-command.ts';
import { pick } from '../pick/pick.ts';

/**
 * The container of pods, endpoints and templates, and without the registry of clusters (specification 2.1 and 9). Each
 * of them may be written by a create and by an update.
 */
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
    write: option.text("its command as one text, split as a shell does; '' is the command of the image"),
    settle: settleCommand,
  },
  // What `args` says, decoded (additions 2).
  entrypoint: {
    path: 'entrypoint',
    type: 'list',
    show: shellLineOf('entrypoint'),
    complete: tellShellLine('entrypoint'),
    lines: (row) =>
      [{ label: 'entrypoint', value: shellLineOf('entrypoint')(row) }].filter(({ value }) => value.text !== ''),
    write: option.texts("in the place of the image's entrypoint: one word, repeatable", { metavar: 'WORD' }),
  },
  cmd: {
    path: 'cmd',
    type: 'list',
    show: shellLineOf('cmd'),
    complete: tellShellLine('cmd'),
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
    write: option.count('container disk in GB, wiped on restart; paid besides the cost of an hour', 1, {
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
      param: option.texts('an environment variable; NAME=@secret:SECRET for a secret', { metavar: 'NAME=VALUE' }),
      value: addVariables,
    },
    complete: completeEnvironment,
    fill: fillEnvironment,
  },
  envFrom: {
    writeOnly: true,
    write: {
      param: option.texts(
        'read variables from a file of NAME=VALUE lines, where a name given twice is refused; --env overrides them',
        {
          metavar: 'FILE',
          complete: 'file',
        },
      ),
      path: 'env',
      // The field `env` reads the files.
      value: unchangedOrEmpty,
    },
  },
  envFile: {
    writeOnly: true,
    write: {
      param: option.texts('as --env-from, for a regular file only: Node reads it too', {
        metavar: 'FILE',
        hidden: true,
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
      ask: pick('Registry credential', 'registries'),
    }),
  },
} as const satisfies Fields;

/** The container as a section of a detail view. */
export const CONTAINER_SECTION = {
  title: 'container',
  fields: ['image', 'entrypoint', 'cmd', 'disk', 'registry', 'port', 'env'],
} as const;

/** The names of a container's fields for `--fields`, in the order of a document. */
export const CONTAINER_MEMBERS = ['image', 'args', 'entrypoint', 'cmd', 'disk', 'ports', 'env', 'registry'] as const;

/** The flag that names a new thing, asked for where it is missing. */
export const NAME_FLAG = option.text('its name', {
  metavar: 'NAME',
  ask: { kind: 'text', question: 'Name', answer: 'a name' },
});

/** When a row was created. */
export const CREATED_AT = { path: 'createdAt', type: 'time', label: 'created', column: { header: 'AGE' } } as const;

/** A flag that takes `on` or `off`. */
export const onOff = (summary: string) => ({
  param: option.choice(summary, ['on', 'off']),
  value: (word: string): Json => word === 'on',
});

/** The same field for a resource that takes it on creation and does not show it. */
export const createOnly = ({ write, ...field }: Field): Field => ({
  ...field,
  writeOnly: true,
  ...(write === undefined ? {} : { create: write }),
});
