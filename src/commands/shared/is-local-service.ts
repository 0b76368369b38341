import type { ApiAnswer } from '../../core/api.ts';

/** Whether the local service gave an answer, also over HTTP: it names itself in the header `server`. */
export const isLocalService = ({ headers }: Pick<ApiAnswer, 'headers'>): boolean => headers['server'] === 'berth-local';
