/** The container configuration that endpoints, pods and templates share (specification 2.1). */
export interface ContainerRecord {
  image: string;
  args: string;
  /** GB. */
  disk: number;
  ports: string[];
  env: Record<string, string>;
  registry: string | null;
}

/** The settings of a container whose body does not name them. */
export const newContainer = (): ContainerRecord => ({
  image: '',
  args: '',
  disk: 20,
  ports: [],
  env: {},
  registry: null,
});
