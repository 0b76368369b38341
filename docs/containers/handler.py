def handler(job):
    return job["input"]["text"].upper()
