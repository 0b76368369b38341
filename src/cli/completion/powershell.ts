import type { CompletionFlag, CompletionNode, CompletionTree } from './tree.ts';

/** A PowerShell completion script, for sourcing from a profile. */
export function powershellScript({ nodes, globals }: CompletionTree): string {
  return `# PowerShell completion for berth. Made by \`berth completion powershell\`.
$BerthGlobal = @{ flags = ${list(globals.map(({ flag }) => flag))}; values = ${values(globals)} }
$BerthTree = @{
${nodes.map(entry).join('\n')}
}
Register-ArgumentCompleter -Native -CommandName berth -ScriptBlock {
  param($wordToComplete, $commandAst, $cursorPosition)
  $at = ''
  $previous = ''
  foreach ($element in $commandAst.CommandElements | Select-Object -Skip 1) {
    $word = $element.ToString()
    if ($element.Extent.EndOffset -ge $cursorPosition) { break }
    if ($BerthTree[$at].words -contains $word) { $at = ("$at $word").Trim() }
    $previous = $word
  }
  $node = $BerthTree[$at]
  if ($node.values.ContainsKey($previous)) { $candidates = $node.values[$previous] }
  elseif ($BerthGlobal.values.ContainsKey($previous)) { $candidates = $BerthGlobal.values[$previous] }
  elseif ($wordToComplete.StartsWith('-')) { $candidates = $node.flags + $BerthGlobal.flags }
  else { $candidates = $node.words }
  $candidates | Where-Object { $_ -like "$wordToComplete*" } | ForEach-Object {
    [System.Management.Automation.CompletionResult]::new($_, $_, 'ParameterValue', $_)
  }
}
`;
}

const entry = ({ path, words, flags }: CompletionNode): string =>
  `  ${quote(path)} = @{ words = ${list(words.map(({ word }) => word))}; flags = ${list(flags.map(({ flag }) => flag))}; values = ${values(flags)} }`;

const values = (flags: readonly CompletionFlag[]): string =>
  `@{ ${flags
    .filter(({ takesValue }) => takesValue)
    .map(({ flag, choices }) => `${quote(flag)} = ${list(choices)}`)
    .join('; ')} }`;

const list = (items: readonly string[]): string => `@(${items.map(quote).join(', ')})`;

const quote = (text: string): string => `'${text.replaceAll("'", "''")}'`;
