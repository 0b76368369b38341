/**
 * Whether containers of an image end as soon as they have started: those of an image that is named `does-not-start`.
 * Images are not run, so the name decides.
 */
export const doesNotStart = (image: string): boolean => /(^|\/)does-not-start(:|@|$)/.test(image);

/** What such a container writes before it ends. */
export const LAST_WORDS = 'fatal: cannot open /models/weights.bin: no such file';

/** What stands for the image of a worker that is a program of the user. No image has a space in its name. */
export const imageOfProgram = (program: string): string => `local: ${program}`;

/** The program of such an image; undefined for any other image. */
export const programOf = (image: string): string | undefined => /^local: (.+)$/s.exec(image)?.[1];
