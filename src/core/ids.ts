/**
 * Whether a text can be one segment of a path: not empty, not `.` or `..`, no control character, valid Unicode. An id
 * that fails this cannot be used in any later request.
 */
export const isUsableId = (text: string): boolean =>
  text !== '' && text !== '.' && text !== '..' && !/\p{Cc}/u.test(text) && !/\p{Cs}/u.test(text);
