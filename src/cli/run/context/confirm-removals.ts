import { readRequest, type Api, type ApiAnswer, type ApiRequest } from '../../../core/api.ts';
import { Failure, isInterrupt, isNotFound, messageOf, unknownOutcome } from '../../../core/failure.ts';
import { stringAt } from '../../../core/json.ts';

/** The status of a removal that was carried out (contract, every DELETE). */
const NO_CONTENT = 204;

/**
 * An Api that believes a removal only by 204. After another answer of success it reads what was to be removed: a 404, or a pod
 * that is TERMINATED, is gone. Fails with outcome-unknown (8) where it is still there or cannot be read. Requests whose
 * answer is not checked (`berth api`), and those to control the local service, are left as they are.
 */
export const confirmingRemovals = (api: Api): Api => ({
  ...api,
  send: async (request) => {
    const answer = await api.send(request);
    if (isRemoval(request) && answer.status !== NO_CONTENT) await confirmGone(api, request, answer);
    return answer;
  },
});

const isRemoval = ({ method, expects, service, path }: ApiRequest): boolean =>
  method === 'DELETE' && expects === undefined && service === 'base' && path[0] !== 'local' && path.at(-2) !== UNTOLD;

/** The status of success of their removal is not published (specification 4.2). */
const UNTOLD = 'delegations';

async function isGone(api: Api, path: ApiRequest['path']): Promise<boolean> {
  try {
    const { value = null } = await api.send(readRequest(path));
    return stringAt(value, 'status') === 'TERMINATED';
  } catch (error) {
    if (isNotFound(error)) return true;
    throw error;
  }
}

async function confirmGone(api: Api, { path, id, checkCommand }: ApiRequest, { status }: ApiAnswer): Promise<void> {
  const unknown = (found: string): Failure =>
    unknownOutcome(
      `the service answered ${status} to the removal of ${id ?? path.at(-1) ?? ''}, not 204, and ${found}`,
      checkCommand,
      id,
    );
  try {
    if (await isGone(api, path)) return;
  } catch (error) {
    if (!(error instanceof Failure) || isInterrupt(error)) throw error;
    throw unknown(`whether it is gone could not be read: ${messageOf(error)}`);
  }
  throw unknown('it is still there');
}
