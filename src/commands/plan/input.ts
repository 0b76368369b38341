import { arg, onlyWith, option } from '../../cli/model/params.ts';

export const PLAN_INPUT = {
  args: { files: arg.many('files, folders, or - for stdin', { metavar: 'FILE', complete: 'file' }) },
  options: {
    envFrom: option.texts('replace ${NAME} in the files by variables of this file', {
      metavar: 'FILE',
      complete: 'file',
    }),
    setName: option.text('mark what apply creates as this set (BERTH_SET)', {
      metavar: 'NAME',
    }),
    prune: onlyWith(['setName'], option.on('remove what has the mark of the set and is in no file')),
  },
} as const;
