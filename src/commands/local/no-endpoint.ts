import { Failure } from '../../core/failure.ts';
import { berth, sentence } from '../../core/message.ts';

/** The detail of a 404 of a local service that has no such endpoint. */
const NO_ENDPOINT = 'endpoint not found';

/** Names the endpoint in the failure of a control request, where the failure is that there is no such endpoint. */
export const withEndpoint = (error: unknown, endpoint: string): unknown =>
  error instanceof Failure && error.detail === NO_ENDPOINT
    ? error.with({
        message: `there is no endpoint ${JSON.stringify(endpoint)}`,
        hint: sentence`See which there are: ${berth`endpoints list`}`,
      })
    : error;
