import type { CompletionNode } from './tree.ts';

/** A PowerShell completion script, for sourcing from a profile. */
export function powershellScript(nodes: readonly CompletionNode[]): string {
  const entries = nodes.map(
    (node) =>
      `  ${quote(node.path)} = @{ words = ${list(node.words.map((each) => each.word))}; flags = ${list(node.flags.map((each) => each.flag))}; values = @{ ${node.flags
        .filter((each) => each.takesValue)
        .map((each) => `${quote(each.flag)} = ${list(each.choices)}`)
        .join('; ')} } }`,
  );
  return `# PowerShell completion for berth. Made by \`berth completion powershell\`.
$BerthTree = @{
${entries.join('\n')}
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
  elseif ($wordToComplete.StartsWith('-')) { $candidates = $node.flags }
  else { $candidates = $node.words }
  $candidates | Where-Object { $_ -like "$wordToComplete*" } | ForEach-Object {
    [System.Management.Automation.CompletionResult]::new($_, $_, 'ParameterValue', $_)
  }
}
`;
}

const list = (items: readonly string[]): string => `@(${items.map(quote).join(', ')})`;

const quote = (text: string): string => `'${text.replaceAll("'", "''")}'`;
