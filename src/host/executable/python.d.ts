/** A file of Python, which the build of the executable includes as a text. */
declare module '*.py' {
  const text: string;
  export default text;
}
