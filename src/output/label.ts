/** The name of a member as words for a header or a label: `latencyMs` reads `latency ms`. */
export const labelOf = (member: string): string => member.replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);
