#!/bin/bash
#SBATCH --array=1-4 --requeue --time=04:00:00 --signal=B:TERM@120
export BERTH_SHARD=$SLURM_ARRAY_TASK_ID/$SLURM_ARRAY_TASK_COUNT
berth jobs batch run demo --input items.jsonl --out "part-$SLURM_ARRAY_TASK_ID.jsonl" --max-time 3h &
trap 'kill -TERM $!' TERM
code=0
wait $! || code=$?
if [ $code -gt 128 ]; then code=0; wait $! || code=$?; fi
case $code in
  7 | 8 | 9 | 130 | 143) scontrol requeue "$SLURM_JOB_ID" ;;
esac
exit $code
