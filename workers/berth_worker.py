"""
Runs a Python file as a worker: `python3 berth_worker.py FILE`. Needs Python 3.8 or newer and nothing else.

The file runs as the main program. A file that uses the library of a service starts itself, and this module only waits
for it. A file that starts nothing and defines `handler(job)` is served from here. `job` is a dict with `id` and `input`;
the handler is a function, an async function, a generator or an async generator. What else the file may define:

    concurrency = 4                 how many jobs run at once; default 1
    def concurrency_modifier(now)   the same, asked before each take
    refresh_worker = True           end the process after each job
    return_aggregate_stream = False the output of a generator is [] and not the list of its chunks

A handler reports progress with `job.progress(value)`. A result that is a dict with "error" makes the job fail; one with
"refresh_worker" ends the process after the job.
"""

import asyncio
import ctypes
import functools
import http.client
import inspect
import json
import os
import selectors
import signal
import sys
import threading
import time
import traceback
import types
from concurrent.futures import ThreadPoolExecutor, wait
from urllib.parse import quote, urlsplit

PREFIX = "BERTH_WORKER"
# The exit code for a file that starts no worker and defines no handler: berth then fails the waiting jobs.
NO_WORKER_EXIT = 78
TAKE_SECONDS = 90
POST_SECONDS = 30
# How long the answer of a held take is waited for once the worker is to end: it may hold a job.
LAST_ANSWER_SECONDS = 2
# A job that was told to stop is told again: what is raised while Python frees an object, such as an open file, is lost.
STOP_AGAIN_SECONDS = 3
# The service takes no larger output of a job.
MAX_OUTPUT_MB = 20


class JobStopped(BaseException):
    """Raised, until it ends, in the handler of a job that is to stop. Not an Exception: `except Exception` lets it pass."""


class Job(dict):
    """A job as the handler receives it: `id`, `input` and what else the service sent."""

    report = None

    def progress(self, value):
        """Sets what `jobs status` shows as the output until the job ends. `value` must be JSON."""
        self.report(self, value)


class Refused(ValueError):
    """What a handler gave cannot be sent: it is no JSON or too large, or the service has refused it. Its text is the reason."""


def json_bytes(value):
    """Returns the JSON text of a value in UTF-8. Raises Refused where it is no JSON."""
    try:
        # NaN and infinity are no JSON: the service would refuse them, and the job would never end.
        text = json.dumps(value, ensure_ascii=False, allow_nan=False)
    except (TypeError, ValueError, RecursionError) as error:
        raise Refused("the output is not JSON: %s" % error)
    try:
        return text.encode("utf-8")
    except UnicodeEncodeError:
        # Half of a surrogate pair, as in the name of a file that is not UTF-8: only an escape can hold it.
        return json.dumps(value, allow_nan=False).encode("ascii")


def check_size(output):
    """Raises Refused, in the words of the service, where an output has more bytes than a job may have."""
    size = len(json_bytes(output))
    if size > MAX_OUTPUT_MB * 1000000:
        raise Refused("the output has %d bytes, and a job may have at most %d MB" % (size, MAX_OUTPUT_MB))


class Service:
    """The addresses of the worker protocol, from the environment. Every request opens a connection of its own."""

    def __init__(self, env):
        self.worker_id = env.get(PREFIX + "_POD_ID", "")
        self.hostname = env.get(PREFIX + "_POD_HOSTNAME", "unknown")
        self.key = env.get(PREFIX + "_AI_API_KEY", "")
        self.ping_seconds = int(env.get(PREFIX + "_PING_INTERVAL") or 10000) / 1000
        self.take_url = env.get(PREFIX + "_WEBHOOK_GET_JOB", "").replace("$ID", self.worker_id)
        self.done_url = self._of_worker(env.get(PREFIX + "_WEBHOOK_POST_OUTPUT", ""))
        self.stream_url = self._of_worker(env.get(PREFIX + "_WEBHOOK_POST_STREAM", ""))
        self.ping_url = self._of_worker(env.get(PREFIX + "_WEBHOOK_PING", ""))

    def _of_worker(self, template):
        return template.replace("$" + PREFIX + "_POD_ID", self.worker_id)

    def _open(self, url, timeout):
        parts = urlsplit(url)
        kind = http.client.HTTPSConnection if parts.scheme == "https" else http.client.HTTPConnection
        return kind(parts.hostname, parts.port, timeout=timeout), parts.path + "?" + parts.query

    def _headers(self, **more):
        return {"Authorization": self.key, **more} if self.key else more

    def get(self, url, timeout, stop=None):
        """
        Returns the status and the body. `stop` is a Stop: once it is requested the answer is waited for two seconds
        more; (0, b"") where it did not come.
        """
        connection, path = self._open(url, timeout)
        try:
            connection.request("GET", path, headers=self._headers())
            if stop is not None and not stop.wait_for_answer(connection.sock, timeout):
                return 0, b""
            response = connection.getresponse()
            return response.status, response.read()
        finally:
            connection.close()

    def post(self, url, job_id, value, tries=4):
        """
        Sends JSON, again after a lost answer or a status that is not 200. Raises the last error, and Refused where
        another try cannot help.
        """
        body = json_bytes(value)
        if len(body) > MAX_OUTPUT_MB * 1000000:
            check_size(value.get("output"))
        content_type = "application/x-www-form-urlencoded"
        headers = self._headers(**{"Content-Type": content_type, "charset": "utf-8", "X-Request-ID": job_id})
        for attempt in range(1, tries + 1):
            connection, path = self._open(url, POST_SECONDS)
            try:
                connection.request("POST", path, body, headers)
                response = connection.getresponse()
                response.read()
                if response.status == 200:
                    return
                if response.status in (400, 413):
                    raise Refused("the service refused %d bytes with status %d" % (len(body), response.status))
                error = OSError("the service answered %d" % response.status)
            except (OSError, http.client.HTTPException) as failed:
                error = failed
            finally:
                connection.close()
            if attempt < tries:
                time.sleep(0.2 * 3 ** (attempt - 1))
        raise error

    def take(self, free, busy, stop):
        """Returns up to `free` jobs; none when there is none. Raises OSError when the service cannot be reached."""
        url = self.take_url
        if free > 1:
            url = url.replace("/job-take/", "/job-take-batch/") + "&batch_size=%d" % free
        status, body = self.get(url + "&job_in_progress=%d" % (1 if busy else 0), TAKE_SECONDS, stop)
        if status == 429:
            stop.sleep(5)
        if status in (0, 204, 400, 429) or body == b"":
            return []
        if status != 200:
            raise OSError("the service answered %d to a take" % status)
        found = json.loads(body)
        return [Job(job) for job in (found if isinstance(found, list) else [found])]

    def jobs_to_stop(self):
        """Waits until jobs of this worker are to be stopped; returns their ids, and [] after some time."""
        status, body = self.get(self.take_url.replace("/job-take/", "/job-stop/"), TAKE_SECONDS)
        if status != 200:
            time.sleep(1)
            return []
        return json.loads(body).get("jobsToStop", [])

    def done(self, job, result, is_stream=False):
        url = self.done_url.replace("$ID", quote(job["id"], safe=""))
        self.post(url + "&isStream=" + ("true" if is_stream else "false"), job["id"], result)

    def chunk(self, job, value):
        self.post(self.stream_url.replace("$ID", quote(job["id"], safe="")) + "&isStream=false", job["id"], {"output": value})

    def ping(self, job_ids):
        more = "&job_id=" + quote(",".join(job_ids), safe=",") if job_ids else ""
        self.get(self.ping_url + more, max(self.ping_seconds * 2, 1))


class Stop:
    """Whether the worker is to end: it then takes no more jobs and finishes those that it has."""

    def __init__(self):
        self.requested = False
        self._reader, self._writer = os.pipe()

    def request(self):
        if not self.requested:
            self.requested = True
            # Ends every wait: the byte is never read.
            os.write(self._writer, b"x")

    def sleep(self, seconds):
        wait_for_input([self._reader], seconds)

    def wait_for_answer(self, sock, seconds):
        ready = wait_for_input([sock, self._reader], seconds)
        if ready and sock not in ready:
            ready = wait_for_input([sock], LAST_ANSWER_SECONDS)
        return bool(ready)


def wait_for_input(files, seconds):
    """Returns those of the files that can be read, as soon as there is one; none after this time."""
    # `select.select` fails for the 1024th open file and above.
    with selectors.DefaultSelector() as selector:
        for file in files:
            selector.register(file, selectors.EVENT_READ)
        return [key.fileobj for key, _ in selector.select(seconds)]


def without_own_frames(error):
    """The traceback of an error from the first frame that is not of this file."""
    trace = error.__traceback__
    while trace is not None and trace.tb_frame.f_code.co_filename == __file__:
        trace = trace.tb_next
    return "".join(traceback.format_exception(type(error), error, trace))


class Worker:
    """Takes jobs, runs the handler and sends what it gives."""

    def __init__(self, service, module):
        self.service = service
        self.handler = module.handler
        self.module = module
        self.stop = Stop()
        self.jobs = {}  # job id -> what stops the job
        self.stopping = set()  # ids of jobs that were told to stop
        self.limit = 1

    def option(self, name, default=None):
        return getattr(self.module, name, default)

    def concurrency(self):
        modifier = self.option("concurrency_modifier")
        self.limit = int(modifier(self.limit) if callable(modifier) else self.option("concurrency", 1))
        self.limit = max(1, self.limit)
        return self.limit

    # What is sent

    def failure(self, error):
        trace = without_own_frames(error)
        print(trace, file=sys.stderr, end="", flush=True)
        if isinstance(error, Refused):
            return {"error": str(error)}
        return {
            "error": json.dumps(
                {
                    "error_type": type(error).__name__,
                    "error_message": str(error),
                    "error_traceback": trace,
                    "hostname": self.service.hostname,
                    "worker_id": self.service.worker_id,
                }
            )
        }

    def result_of(self, output):
        result = {"output": output}
        if isinstance(output, dict) and ("error" in output or "refresh_worker" in output):
            output = dict(output)
            error, refresh = output.pop("error", None), output.pop("refresh_worker", None)
            result = {"output": output}
            if error:
                result["error"] = error if isinstance(error, str) else json.dumps(error)
            if refresh:
                result["stopPod"] = True
        if result["output"] == {}:
            del result["output"]
        return result

    def send_result(self, job, result, is_stream, is_last=False):
        if self.option("refresh_worker"):
            result["stopPod"] = True
        try:
            self.service.done(job, result, is_stream)
        except Refused as error:
            failure = self.failure(error)
            if not is_last:
                self.send_result(job, failure, is_stream, True)
        except (OSError, http.client.HTTPException) as error:
            print("The result of job %s could not be sent: %s" % (job["id"], error), file=sys.stderr, flush=True)
        if result.get("stopPod"):
            self.stop.request()

    def report(self, job, value):
        self.service.done(job, {"status": "IN_PROGRESS", "output": value})

    def aggregate(self, chunks):
        return {"output": chunks if self.option("return_aggregate_stream", True) else []}

    # Handlers

    def call(self, job):
        """Runs the handler of a job in this thread, whatever its shape. Returns the result and whether it streamed."""
        output = self.handler(job)
        if inspect.isawaitable(output) or inspect.isasyncgen(output):
            return asyncio.run(self.follow(job, output))
        if not inspect.isgenerator(output):
            return self.result_of(output), False
        chunks = []
        for chunk in output:
            self.service.chunk(job, chunk)
            chunks.append(chunk)
        return self.aggregate(chunks), True

    async def follow(self, job, output):
        """The same for what an async handler gave."""
        if inspect.isawaitable(output):
            return self.result_of(await output), False
        chunks = []
        async for chunk in output:
            await in_thread(self.service.chunk, job, chunk)
            chunks.append(chunk)
        return self.aggregate(chunks), True

    # Serving

    def serve(self):
        for name in ("SIGTERM", "SIGINT"):
            signal.signal(getattr(signal, name), self.on_signal)
        for work in (self.keep_stopping, self.keep_pinging):
            threading.Thread(target=work, daemon=True).start()
        handler = inspect.unwrap(self.handler)
        while isinstance(handler, functools.partial):
            handler = handler.func
        if not inspect.isroutine(handler):
            handler = type(handler).__call__
        is_async = inspect.iscoroutinefunction(handler) or inspect.isasyncgenfunction(handler)
        has_limit = self.option("concurrency_modifier") is not None or self.option("concurrency", 1) != 1
        if is_async or has_limit:
            asyncio.run(self.serve_many(is_async))
        else:
            self.serve_one()

    def on_signal(self, number, _frame):
        self.stop.request()
        if number == signal.SIGINT:
            signal.signal(signal.SIGINT, signal.default_int_handler)

    def keep_stopping(self):
        while not self.stop.requested:
            try:
                for job_id in self.service.jobs_to_stop():
                    stop_job = self.jobs.get(job_id)
                    if stop_job is not None and job_id not in self.stopping:
                        self.stopping.add(job_id)
                        threading.Thread(target=stop_job, daemon=True).start()
            except (OSError, ValueError, http.client.HTTPException):
                time.sleep(1)

    def end(self, job):
        del self.jobs[job["id"]]
        self.stopping.discard(job["id"])

    def keep_pinging(self):
        while self.service.ping_url and self.service.key:
            try:
                self.service.ping(list(self.jobs))
            except (OSError, http.client.HTTPException):
                pass
            time.sleep(self.service.ping_seconds)

    def take(self, free, busy):
        try:
            return self.service.take(free, busy, self.stop)
        except (OSError, ValueError, http.client.HTTPException) as error:
            print("No job can be taken: %s" % error, file=sys.stderr, flush=True)
            self.stop.sleep(2)
            return []

    def serve_one(self):
        """One job at a time in the main thread, so that a signal can end even a handler that sleeps."""
        running = {"job": None}
        interrupt = getattr(signal, "SIGUSR1", None)

        def on_interrupt(_number, _frame):
            if running["job"] is not None and running["job"].pop("stopped", False):
                raise JobStopped()

        if interrupt is not None:
            signal.signal(interrupt, on_interrupt)
        main = threading.get_ident()

        def stop_job(state):
            while interrupt is not None and running["job"] is state:
                state["stopped"] = True
                # Until it is seen: a signal just before a call that sleeps does not end the sleep.
                while running["job"] is state and state.get("stopped"):
                    signal.pthread_kill(main, interrupt)
                    time.sleep(0.1)
                time.sleep(STOP_AGAIN_SECONDS)

        while not self.stop.requested:
            for job in self.take(1, False):
                job.report = self.report
                state = {}
                result, is_stream = None, False
                try:
                    running["job"] = state
                    self.jobs[job["id"]] = functools.partial(stop_job, state)
                    result, is_stream = self.call(job)
                    running["job"] = None
                except JobStopped:
                    running["job"] = None
                    print("Job %s was stopped." % job["id"], flush=True)
                except BaseException as error:  # the handler may raise anything, SystemExit included
                    running["job"] = None
                    result = self.failure(error)
                if result is not None:
                    self.send_result(job, result, is_stream)
                self.end(job)

    async def serve_many(self, is_async):
        """Several jobs at once: async handlers as tasks, others in threads."""
        pool = ThreadPoolExecutor(64)
        tasks, taking = set(), None
        while tasks or taking is not None or not self.stop.requested:
            if taking is None and not self.stop.requested:
                free = self.concurrency() - len(tasks)
                if free > 0:
                    taking = asyncio.ensure_future(in_thread(self.take, free, bool(tasks)))
            waits = tasks | ({taking} if taking is not None else set())
            await asyncio.wait(waits, return_when=asyncio.FIRST_COMPLETED)
            tasks = {task for task in tasks if not task.done()}
            if taking is not None and taking.done():
                for job in taking.result():
                    tasks.add(asyncio.ensure_future(self.run_task(job, is_async, pool)))
                taking = None

    async def run_task(self, job, is_async, pool):
        loop = asyncio.get_running_loop()
        updates = []

        def report_later(of, value):
            before = updates[-1:]
            updates.append(THREADS.submit(lambda: (wait(before), self.report(of, value))))

        job.report = report_later if is_async else self.report
        result, is_stream = None, False
        try:
            if is_async:
                running = asyncio.ensure_future(self.follow(job, self.handler(job)))
                self.jobs[job["id"]] = lambda: loop.call_soon_threadsafe(running.cancel)
                result, is_stream = await running
            else:
                thread = {}
                self.jobs[job["id"]] = functools.partial(stop_thread, thread)
                result, is_stream = await loop.run_in_executor(pool, self.call_in_thread, thread, job)
        except (JobStopped, asyncio.CancelledError):
            print("Job %s was stopped." % job["id"], flush=True)
        except BaseException as error:
            result = self.failure(error)
        # An update that came after the result would be too late.
        await asyncio.gather(*map(asyncio.wrap_future, updates), return_exceptions=True)
        if result is not None:
            await in_thread(self.send_result, job, result, is_stream)
        self.end(job)

    def call_in_thread(self, thread, job):
        thread["id"] = threading.get_ident()
        try:
            return self.call(job)
        finally:
            del thread["id"]


def stop_thread(thread):
    """Raises JobStopped in a thread at its next step of Python code; a call that blocks is not ended."""
    while (ident := thread.get("id")) is not None:
        ctypes.pythonapi.PyThreadState_SetAsyncExc(ctypes.c_ulong(ident), ctypes.py_object(JobStopped))
        time.sleep(STOP_AGAIN_SECONDS)


async def in_thread(work, *args):
    return await asyncio.get_running_loop().run_in_executor(THREADS, functools.partial(work, *args))


THREADS = ThreadPoolExecutor(64)


def run_file(path, args, service):
    """Runs a file as the main program. Returns its module, and whether it spoke to the service, so that it is a worker itself."""
    state = {"running": True, "started": False}
    port = urlsplit(service.take_url).port if service.take_url else None

    def on_event(name, event_args):
        if name == "socket.connect" and state["running"]:
            address = event_args[1]
            if isinstance(address, tuple) and len(address) > 1 and address[1] == port:
                state["started"] = True

    sys.addaudithook(on_event)
    path = os.path.abspath(path)
    module = types.ModuleType("__main__")
    module.__file__ = path
    module.__builtins__ = __builtins__
    sys.modules["berth_worker"] = sys.modules["__main__"]
    sys.modules["__main__"] = module
    sys.argv = [path] + list(args)
    sys.path[0] = os.path.dirname(path)
    try:
        with open(path, "rb") as file:
            code = compile(file.read(), path, "exec")
        exec(code, module.__dict__)
    except Exception as error:
        print(without_own_frames(error), file=sys.stderr, end="", flush=True)
        sys.exit(1)
    state["running"] = False
    return module, state["started"]


def check(path):
    """Ends with 1 and the reason when the file is no Python."""
    try:
        with open(path, "rb") as file:
            compile(file.read(), path, "exec")
    except (SyntaxError, ValueError) as error:
        print("".join(traceback.format_exception_only(type(error), error)), file=sys.stderr, end="")
        sys.exit(1)


def main():
    if sys.argv[1:2] == ["--check"]:
        check(sys.argv[2])
        return
    if len(sys.argv) < 2:
        sys.exit("usage: berth_worker.py FILE [ARGUMENT...]")
    path = sys.argv[1]
    service = Service(os.environ)
    module, started = run_file(path, sys.argv[2:], service)
    if started:
        return
    if not callable(getattr(module, "handler", None)):
        print("%s starts no worker and defines no function named handler" % path, file=sys.stderr, flush=True)
        sys.exit(NO_WORKER_EXIT)
    if not service.take_url:
        sys.exit("%s is not set: see `berth local worker-env`" % (PREFIX + "_WEBHOOK_GET_JOB"))
    Worker(service, module).serve()


if __name__ == "__main__":
    main()
