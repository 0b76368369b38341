import type { MountsRecord } from '../pods/record.ts';

export type TemplateSource = 'official' | 'verified' | 'community';

/** A reusable configuration of a container. */
export interface TemplateRecord {
  id: string;
  name: string;
  image: string;
  args: string;
  /** GB. */
  disk: number;
  ports: string[];
  env: Record<string, string>;
  registry: string | null;
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
