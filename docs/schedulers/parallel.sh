# GNU parallel runs a shard again when it asks for it.
seq 4 | parallel --retries 3 --joblog shards.log \
  'berth jobs batch run demo --input items.jsonl --shard {}/4 --out part-{}.jsonl --failed-ok'
