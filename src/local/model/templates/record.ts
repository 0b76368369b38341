import { newContainer, type ContainerRecord } from '../container.ts';
import type { MountsRecord } from '../pods/record.ts';
import type { EpochMs } from '../../../core/unit-types.ts';

export type TemplateSource = 'official' | 'verified' | 'community';

/** A reusable configuration of a container. */
export interface TemplateRecord extends ContainerRecord {
  id: string;
  name: string;
  /** Absent for the first templates of an account. */
  createdAt?: EpochMs;
  mounts: Pick<MountsRecord, 'persistent'>;
  serverless: boolean;
  public: boolean;
  category: 'CPU' | 'NVIDIA' | 'AMD';
  startSsh: boolean;
  startJupyter: boolean;
  allowedCudaVersions: string[];
  /** The source of a public template of another account; absent when the template belongs to this account. */
  publisher?: TemplateSource;
}

/** The settings of a template whose body does not name them, as published. */
export function newTemplate(): Omit<TemplateRecord, 'id' | 'name' | 'image' | 'createdAt' | 'publisher'> {
  const { image: _image, ...container } = newContainer();
  return {
    ...container,
    mounts: {},
    serverless: false,
    public: false,
    category: 'NVIDIA',
    startSsh: true,
    startJupyter: true,
    allowedCudaVersions: [],
  };
}
