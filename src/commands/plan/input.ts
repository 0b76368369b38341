import { arg, option } from '../../cli/model/params.ts';

/** The files that describe things, and the files of their variables. */
export const PLAN_INPUT = {
  args: { files: arg.many('files, folders, or - for stdin', { metavar: 'FILE', complete: 'file' }) },
  options: {
    envFrom: option.texts('replace ${NAME} in the files by variables of this file of NAME=VALUE lines', {
      metavar: 'FILE',
      complete: 'file',
    }),
  },
} as const;
