import type { Batch, BatchFacts, CreatedBatch, ListedBatch, NewBatch, Store, StorePorts } from '../../model/store.ts';
import { localFile } from '../../../core/failure.ts';
import { readBatchResults, readStatus } from './batch-results.ts';
import { filesOf, removeFiles } from './own-files.ts';
import { mustBeNew, mustExist, resolveResultsPath } from './check-results-path.ts';
import { inputCopyPath, journalPath, temporaryCopyPath } from './file-names.ts';
import { fileSession } from './file-session.ts';
import { expiredSince } from '../../model/expired-since.ts';
import type { BatchHeader } from './journal/record.ts';
import { readHeader } from './journal/journal.ts';
import { createBatch, type OpenBatch, withNewPlace } from './open-batch.ts';
import { recoverBatch } from './recover-batch.ts';
import { identityOf, locateInputs } from './stored-inputs.ts';
import { writeSyncedFile } from '../../bytes/synced-files.ts';

/** Batches that have a journal beside their results: one process works on a batch at a time, and holds its lock. */
export function createFileStore(ports: StorePorts): Store {
  const { durable } = ports;
  return {
    place: async ({ out, copiesInput }) => {
      const path = await resolveResultsPath(durable, out);
      const mustStillBeNew = (): Promise<void> => mustBeNew(durable, path, copiesInput, ports.resumeCommand(path));
      await mustStillBeNew();
      return {
        name: path,
        create: (prepare) =>
          withNewPlace(durable, path, copiesInput, async (release) => {
            await mustStillBeNew();
            const batch = await prepare(async (chunks) => {
              await writeSyncedFile(durable, temporaryCopyPath(path), chunks);
              return temporaryCopyPath(path);
            });
            // Reading stdin can take long, and another program may have created files in that time.
            if (copiesInput) await mustStillBeNew();
            const open = await createBatch(durable, path, await headerOf(ports, path, batch), release);
            return createdBatch(ports, path, open, batch);
          }),
      };
    },
    open: async (name) => {
      const path = await resolveResultsPath(durable, name);
      await mustExist(durable, path);
      return fileBatch(ports, path, await readHeader(durable, journalPath(path)));
    },
    list: async function* (folder) {
      const end = journalPath('');
      const at = folder === '' ? '' : folder.replace(/\/?$/, '/');
      if (folder !== '' && (await durable.resolve(folder)).kind !== 'directory')
        throw localFile(`${folder} is no folder`, 'Name the folder that has the results of the batches.');
      const entries = await durable.entries(folder === '' ? '.' : folder);
      // Berth makes no journal that is a link: it leads to another program's file, or to a batch that is listed where it is.
      for (const { name, kind, link } of entries.toSorted((one, other) => (one.name < other.name ? -1 : 1)))
        if (kind === 'file' && link !== true && name.endsWith(end))
          yield listed(ports, at + name.slice(0, -end.length));
    },
  };
}

const listed = (ports: StorePorts, name: string): ListedBatch => ({
  name,
  status: async () => {
    // Any file may have such a name: it is read whole only where it begins as a journal does.
    await readHeader(ports.durable, journalPath(name));
    return (await readStatus(ports, name)).status;
  },
});

function createdBatch(ports: StorePorts, path: string, open: OpenBatch, { plan }: NewBatch): CreatedBatch {
  const copy = { address: inputCopyPath(path), version: '', name: inputCopyPath(path) };
  const isCopied = open.header.input.copied === true;
  const inputs = isCopied ? { ...plan, sources: plan.sources.map((input) => ({ ...input, ...copy })) } : plan;
  return {
    ...factsOf(ports, path, open.header),
    summary: plan.summary,
    copy: undefined,
    drive: async () => fileSession(ports, path, open, inputs),
  };
}

const factsOf = ({ reference }: StorePorts, path: string, header: BatchHeader): BatchFacts => {
  const { endpoint, endpointId, service, invalid, createdAt } = header;
  return { name: path, reference: reference(path), endpoint, endpointId, service, invalid, createdAt };
};

async function headerOf(
  { clock, durable }: StorePorts,
  path: string,
  { endpoint, endpointId, service, plan, ordered }: NewBatch,
): Promise<BatchHeader> {
  const { planned, invalid } = plan.summary;
  const input = await identityOf(durable, durable.absolute(path), plan);
  // eslint-disable-next-line no-restricted-syntax -- a date, for the journal
  const createdAt = clock.now();
  const { extras } = plan;
  return { version: 2, ...{ endpoint, endpointId, service, input, extras, planned, invalid, ordered, createdAt } };
}

function fileBatch(ports: StorePorts, path: string, header: BatchHeader): Batch {
  const { durable } = ports;
  const status = async () => (await readStatus(ports, path)).status;
  return {
    ...factsOf(ports, path, header),
    cancelled: false,
    status,
    read: () => readBatchResults(ports, path),
    drive: async ({ resume }) => {
      const inputs = await locateInputs(ports, path, header, resume?.input);
      const open = await recoverBatch(durable, path, {
        header,
        wantFailed: resume?.wantFailed ?? false,
        expiredSince: expiredSince(ports.clock, header.extras),
        resubmit: resume?.resubmit,
        findJobs: resume?.findJobs,
        signal: ports.signal,
      });
      return fileSession(ports, path, open, inputs);
    },
    contents: () => filesOf(durable, path, header),
    remove: (contents) => removeFiles(durable, path, header, contents),
  };
}
