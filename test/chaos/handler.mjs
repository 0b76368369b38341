/** The worker of the campaign: takes `ms` milliseconds, then fails where the input asks for it, else echoes the input. */
export async function handler(input) {
  await new Promise((resolve) => setTimeout(resolve, input.ms ?? 0));
  if (input.fail === true) throw new Error(`asked to fail: ${input.mark}`);
  return input;
}

export { handler as default };
