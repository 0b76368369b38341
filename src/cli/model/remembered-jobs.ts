import type { RememberedJob, RememberedJobs, RememberedLists } from '../../core/ports/remembered.ts';

/** The jobs that this machine submitted last to the endpoint that a word names by its id or its name, the latest first. */
export async function rememberedJobs(
  { jobs, lists }: { readonly jobs: RememberedJobs; readonly lists: RememberedLists },
  endpoint: string,
): Promise<readonly RememberedJob[]> {
  const rows = (await lists.read('endpoint'))?.rows ?? [];
  const words = [endpoint, ...rows.flatMap(({ value, name }) => (name === endpoint ? [value] : []))];
  return (await jobs.read()).filter((job) => words.some((word) => word === job.endpoint || word === job.named));
}
