"""
make FILE ROWS: writes a Parquet file with DuckDB.
compare FILE EXPORT FLAT ROWS: reads two exports with DuckDB and compares them with the file, row by row. The first has
inputs and outputs as JSON; in the second the members of the output are columns.
"""
import sys
import duckdb

NUMBERS = """
select i as n, 9007199254740993 + i * 900719925 as large, 'prompt ' || i || ' é "' as prompt, i % 7 = 0 as flag,
    i / 3.0::double as score, case when i % 10 = 0 then null else (i * 1.01)::decimal(18, 3) end as price,
    timestamp '2024-01-01' + interval (i) second + interval (i) microsecond as moment, date '2000-01-01' + (i % 9999)::int as day,
    encode('b' || i) as data, [i, null, i + 1] as list, {{'a': i, 'b': case when i % 3 = 0 then null else 'x' end}} as part
from range({rows}) t(i)
"""

# The columns of the second export, and what each must be.
EXPECTED = {
    'n': 'f.n', 'large': 'f.large', 'prompt': 'f.prompt', 'flag': 'f.flag', 'score': 'f.score',
    'price': 'f.price::varchar', 'moment': "strftime(f.moment, '%Y-%m-%dT%H:%M:%S.%f')", 'day': 'f.day::varchar',
    'data': 'base64(f.data)', 'list': 'to_json(f.list)::varchar', 'part': 'to_json(f.part)::varchar',
}


def quoted(path):
    return "'" + path.replace("'", "''") + "'"


def make(path, rows):
    duckdb.sql(f"copy ({NUMBERS.format(rows=int(rows))}) to {quoted(path)} (format parquet)")


def compare(path, export, flat, rows):
    source = f"(select file_row_number + 1 as item, * from read_parquet({quoted(path)}, file_row_number = true))"
    def count(sql):
        return duckdb.sql(sql).fetchall()[0][0]
    found = {
        'rows of the export': count(f"select count(*) from {quoted(export)}"),
        'items of the export': count(f"select count(distinct item) from {quoted(export)}"),
        'completed': count(f"select count(*) from {quoted(export)} where status = 'COMPLETED'"),
        'outputs like their input': count(f"select count(*) from {quoted(export)} where output::varchar = input::varchar"),
        'numbers of the input in the export': count(
            f"select count(*) from {quoted(export)} e join {source} f using (item) where (e.input->>'large')::bigint = f.large"),
        'rows of the flat export': count(f"select count(*) from {quoted(flat)}"),
    }
    for name, value in EXPECTED.items():
        column = f'e."output.{name}"' + ('::varchar' if name in ('list', 'part') else '')
        found[name] = count(f"select count(*) from {quoted(flat)} e join {source} f using (item) where {column} is not distinct from {value}")
    wrong = {name: value for name, value in found.items() if value != int(rows)}
    print('types:', [str(t) for t in duckdb.sql(f"select * from {quoted(flat)}").types])
    print('differences:', wrong if wrong else 'none')
    sys.exit(1 if wrong else 0)


{'make': make, 'compare': compare}[sys.argv[1]](*sys.argv[2:])
