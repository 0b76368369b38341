/** The job handler of the campaign: waits `ms` milliseconds, then fails if the input says so, otherwise returns the input. */
export async function handler(input) {
  await new Promise((resolve) => setTimeout(resolve, input.ms ?? 0));
  if (input.fail === true) throw new Error(`requested failure: ${input.mark}`);
  return input;
}

export { handler as default };
