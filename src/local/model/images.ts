/**
 * Whether containers of an image end as soon as they have started: those of an image that is named `does-not-start`.
 * Images are not run, so the name decides.
 */
export const doesNotStart = (image: string): boolean => /(^|\/)does-not-start(:|@|$)/.test(image);

/** What such a container writes before it ends. */
export const LAST_WORDS = 'fatal: cannot open /models/weights.bin: no such file';
