import type { BUILD_STATUSES } from '../../contract/schemas/endpoints.ts';
import { createRecordTable } from '../../state/record-table.ts';
import type { EpochMs } from '../../../core/unit-types.ts';

/** A build of an endpoint's image. The local service builds nothing: a control request puts a build there. */
export interface BuildRecord {
  id: string;
  endpointId: string;
  createdAt: EpochMs;
  status: (typeof BUILD_STATUSES)[number];
  commitHash: string | null;
  commitMessage: string | null;
  branch: string | null;
  commitDate: string | null;
  imageName: string | null;
  startedAt: string | null;
  completedAt: string | null;
  error: string | null;
}

export const builds = createRecordTable<BuildRecord>('builds');
