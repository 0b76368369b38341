import { arg, onlyWith, option } from '../../cli/model/params.ts';

/** The files that describe things, the files of their variables, and the set that they are. */
export const PLAN_INPUT = {
  args: { files: arg.many('files, folders, or - for stdin', { metavar: 'FILE', complete: 'file' }) },
  options: {
    envFrom: option.texts(
      'replace ${NAME} in the files by variables of this file of NAME=VALUE lines; a name given twice is refused',
      {
        metavar: 'FILE',
        complete: 'file',
      },
    ),
    setName: option.text('pods, endpoints and templates that it creates get the mark of this set: BERTH_SET', {
      metavar: 'NAME',
    }),
    replace: option.on('make a new pod in the place of one that cannot be changed so, such as its GPU'),
    prune: onlyWith(['setName'], option.on('remove what has the mark of the set and is in no file any more')),
  },
} as const;
