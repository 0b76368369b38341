/** The CUDA versions that a request accepts. At most one of the two is set; with neither, every version is accepted. */
export interface CudaConstraint {
  readonly cudaVersions: readonly string[] | undefined;
  readonly minCudaVersion: string | undefined;
}

/** The constraint of lists and versions as in bodies: an empty list is none. */
export const cudaConstraint = (allowed: readonly string[], minimum: string | null | undefined): CudaConstraint => ({
  cudaVersions: allowed.length > 0 ? allowed : undefined,
  minCudaVersion: minimum ?? undefined,
});

export const meetsCudaConstraint = (version: string, { cudaVersions, minCudaVersion }: CudaConstraint): boolean =>
  cudaVersions !== undefined
    ? cudaVersions.includes(version)
    : minCudaVersion === undefined || compareVersions(version, minCudaVersion) >= 0;

/** Compares versions such as `12.11` and `12.2` by their numbers: negative, zero or positive. */
export function compareVersions(a: string, b: string): number {
  const [aMajor = 0, aMinor = 0] = a.split('.').map(Number);
  const [bMajor = 0, bMinor = 0] = b.split('.').map(Number);
  return aMajor - bMajor || aMinor - bMinor;
}
