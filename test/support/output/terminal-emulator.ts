/** A terminal emulator for the control sequences that live views use. It holds what a person would see. */
export class Terminal {
  readonly #columns: number;
  readonly #rows: number;
  #lines: string[][] = [[]];
  #row = 0;
  #main: { lines: string[][]; row: number; column: number } | undefined;
  #column = 0;
  cursor = true;
  /** Lines that scrolled out at the top. */
  scrolled = 0;

  constructor(columns: number, rows: number) {
    this.#columns = columns;
    this.#rows = rows;
  }

  write(text: string): this {
    // oxlint-disable-next-line no-control-regex -- a terminal parses escape sequences
    for (const [part] of text.matchAll(/\u001b\[\??\d*[A-Za-z]|[^]/gu)) this.#take(part);
    return this;
  }

  text(): string {
    return this.#lines
      .map((line) => line.join('').trimEnd())
      .join('\n')
      .trimEnd();
  }

  #take(part: string): void {
    // oxlint-disable-next-line no-control-regex -- a terminal parses escape sequences
    const [, digits, letter] = /^\u001b\[(\??\d*)([A-Za-z])$/.exec(part) ?? [];
    const count = Number(digits === undefined || digits === '' ? 1 : digits);
    if (letter === undefined) this.#print(part);
    else if (letter === 'A') this.#row = Math.max(0, this.#row - count);
    else if (letter === 'H') this.#row = this.#column = 0;
    else if (letter === 'G') this.#column = count - 1;
    else if (letter === 'K') this.#line().length = Math.min(this.#line().length, this.#column);
    else if (letter === 'J') {
      this.#line().length = Math.min(this.#line().length, this.#column);
      this.#lines.length = this.#row + 1;
    } else if (digits === '?1049') this.#switchScreen(letter === 'h');
    else if (digits === '?25') this.cursor = letter === 'h';
    else if (digits !== '?2026' && letter !== 'm') throw new Error(`unknown sequence ${JSON.stringify(part)}`);
  }

  /** The alternate screen begins empty; leaving it shows what was there before. */
  #switchScreen(alternate: boolean): void {
    if (alternate === (this.#main !== undefined)) return;
    const main = this.#main ?? { lines: [[]], row: 0, column: 0 };
    this.#main = alternate ? { lines: this.#lines, row: this.#row, column: this.#column } : undefined;
    [this.#lines, this.#row, this.#column] = alternate ? [[[]], 0, 0] : [main.lines, main.row, main.column];
  }

  #print(character: string): void {
    if (character === '\r') this.#column = 0;
    else if (character === '\n') {
      this.#column = 0;
      this.#down();
    } else {
      if (this.#column >= this.#columns) {
        this.#column = 0;
        this.#down();
      }
      this.#line()[this.#column++] = character;
    }
  }

  #down(): void {
    this.#row++;
    if (this.#row < this.#rows) return;
    this.#row--;
    this.#lines.shift();
    this.scrolled++;
  }

  #line(): string[] {
    return (this.#lines[this.#row] ??= []);
  }
}
