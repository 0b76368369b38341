import type { RangeFiles } from '../../core/context.ts';
import { createSorter } from '../../core/external-sort.ts';
import type { FolderOptions, SortedItems, VolumeEntry } from '../../core/file-ports.ts';
import { addressOf } from '../s3/object-address.ts';
import { readListing, type ListedObject, type ListingPage } from '../s3/operations/listing-pages.ts';
import type { S3Client } from '../s3/s3-client.ts';
import { unreadable } from '../s3/s3-failures.ts';

interface Volume {
  readonly client: S3Client;
  readonly bucket: string;
  readonly files: Pick<RangeFiles, 'openUnnamed'>;
}

export async function readFolder(
  { client, bucket, files }: Volume,
  prefix: string,
  { orderOf = ({ key }) => key, atMost = Infinity }: FolderOptions = {},
): Promise<SortedItems<VolumeEntry>> {
  const what = `list ${addressOf(bucket, prefix)}`;
  const reader = await readListing(client, { bucket, prefix, delimiter: '/' }, what, undefined, () => {
    const sorter = createSorter(files, orderOf);
    let count = 0;
    return {
      add: async (page) => {
        const entries = entriesOf(page, prefix);
        count += entries.length;
        if (count > atMost) throw unreadable(what, `it has more than ${String(atMost)} files and folders`);
        await sorter.add(entries);
        return false;
      },
      sorted: () => sorter.sorted(),
      close: () => sorter.close(),
    };
  });
  return reader.sorted();
}

export async function isFolder({ client, bucket }: Omit<Volume, 'files'>, prefix: string): Promise<boolean> {
  const what = `list ${addressOf(bucket, prefix)}`;
  const { found } = await readListing(client, { bucket, prefix, delimiter: '/' }, what, undefined, () => {
    const reader = {
      found: false,
      add: (page: ListingPage) => {
        reader.found ||= entriesOf(page, prefix).length > 0;
        return Promise.resolve(reader.found);
      },
      close: () => Promise.resolve(),
    };
    return reader;
  });
  return found;
}

/** A service may name an empty folder, also the one that is listed, as an object whose key ends with a slash. */
const entriesOf = ({ objects, prefixes }: ListingPage, prefix: string): readonly VolumeEntry[] => [
  ...objects.filter(({ key }) => key !== prefix).map(entryOf),
  ...prefixes.filter((key) => key !== prefix).map((key) => ({ kind: 'folder', key }) as const),
];

const entryOf = (file: ListedObject): VolumeEntry =>
  file.key.endsWith('/') ? { kind: 'folder', key: file.key } : { kind: 'file', key: file.key, file };
