import { DAY_MS } from '../../../core/durations.ts';
import { type Api, isListRequest } from '../../../core/api.ts';
import type { RememberedNotes } from '../../../core/context.ts';
import { objectOf } from '../../../core/json.ts';
import { safeText } from '../../../core/safe-text.ts';

const LIKE_PAGES = /cursor|page|paging|token|next|offset|continu|more|total|links?$/i;

/** Whether the name of a member says that a list goes on elsewhere. `pagination` is the one that berth knows. */
export const looksLikePages = (name: string): boolean => LIKE_PAGES.test(name);

/**
 * An Api that warns, once a day for each list of a profile, of members beside the rows of a list that look like pages and
 * that berth does not know: the list may then be a part.
 */
export const warningOfUnknownPages = (
  api: Api,
  { notes, tell }: { readonly notes: RememberedNotes; readonly tell: (line: string) => Promise<void> },
): Api => ({
  ...api,
  send: async (request) => {
    const answer = await api.send(request);
    if (!isListRequest(request)) return answer;
    const { list } = request.expects;
    const names = Object.keys(objectOf(answer.value) ?? {}).filter((name) => name !== list && looksLikePages(name));
    if (names.length === 0) return answer;
    const note = `unknown pages of ${list}`;
    const ageMs = await notes.ageMs(note);
    if (ageMs !== undefined && ageMs < DAY_MS) return answer;
    await notes.make(note);
    await tell(
      `The list "${safeText(list)}" has members that berth does not know and that look like pages: ${names.map((name) => safeText(name)).join(', ')}. It may be incomplete; look for a newer version of berth.`,
    );
    return answer;
  },
});
