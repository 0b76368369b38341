from airflow import DAG
from airflow.operators.bash import BashOperator

with DAG("batch", schedule=None):
    BashOperator.partial(task_id="shard", retries=5).expand(
        bash_command=[
            f"berth jobs batch run demo --input /data/items.jsonl --shard {i}/4 --out /data/part-{i}.jsonl --failed-ok"
            for i in range(1, 5)
        ]
    )
