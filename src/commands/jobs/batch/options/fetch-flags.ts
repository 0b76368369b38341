import { onlyWith, option } from '../../../../cli/model/params.ts';

/** Flags of `jobs batch export` for files that outputs name. */
export const fetchOptions = {
  fetchOutputs: option.text('download the files at the addresses that outputs have there, in place of the rows', {
    metavar: 'FIELD',
  }),
  into: onlyWith(['fetchOutputs'], option.text('the folder for these files', { metavar: 'DIR', complete: 'file' })),
  fetchFrom: onlyWith(
    ['fetchOutputs'],
    option.list('a host that files may come from; also HOST:PORT', { metavar: 'HOST' }),
  ),
  maxSize: onlyWith(['fetchOutputs'], option.count('GB that a file may have (default 5)', 1, { most: 5000 })),
  maxTotal: onlyWith(['fetchOutputs'], option.count('GB that this run may download in all (default: no limit)', 1)),
  atOnce: onlyWith(['fetchOutputs'], option.count('files downloaded at a time (default 8)', 1, { most: 256 })),
};
