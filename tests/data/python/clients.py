# -*- coding: utf-8 -*-
# Clients für Überweisungen — Zeiten in Sekunden
import aiohttp, requests
from requests.adapters import HTTPAdapter, Retry

größe = 10; warte_zeit = 2.5  # ü vor dem Wert
TIMEOUTS = (3.05, 27)
REGIONS = [
    {"name": "eu-1", "timeout": 5, "hosts": ["a", 'b']},
    {"name": "us-1", "timeout": 7},
]


def fetch(url: str, timeout: float = 3, *, total=15.):
    retry = Retry(total=3, backoff_factor=0.5, status_forcelist=[502, 503, 504])
    with requests.Session() as session:
        session.mount("https://", HTTPAdapter(max_retries=retry))
        session.timeout = 4; session.headers["Keep-Alive"] = 'timeout=5'
        first = requests.get(url, timeout=(3.05, 27), headers={"X-Ünïcode": "€ 😀", "Keep-Alive": "timeout=5, max=100"})
        second = requests.get(url, timeout=TIMEOUTS)
        third = requests.get(url, timeout=timeout)
        return first, second, third, session.get(url, timeout=(
            5
        ))


async def stream(url):
    timeout = aiohttp.ClientTimeout(total=None, sock_connect=5, sock_read=1_5)
    connector = aiohttp.TCPConnector(limit=100, keepalive_timeout=15)
    async with aiohttp.ClientSession(timeout=timeout, connector=connector) as session:
        async with session.ws_connect(url, heartbeat=20, receive_timeout=r'45', autoping=True) as ws:
            if (limit := 30) and (message := await ws.receive(limit)):
                return message, """one
two""", b"x"
    pattern = r"\d+s"
    joined = "30" "s"
    banner = """
    Time: 30 s
    """
    raw = b"5"
    wait = lambda n, base=0.2, cap=20: min(cap, base * 2 ** n)
    retry = dict(attempts=5, interval=warte_zeit)
