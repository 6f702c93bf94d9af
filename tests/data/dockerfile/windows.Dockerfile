# escape=`
FROM mcr.microsoft.com/windows/servercore:ltsc2022
ENV REQUEST_TIMEOUT=30 DIR=C:\app_x\
WORKDIR C:\app
RUN powershell -Command `
    # drüben
    Invoke-WebRequest -TimeoutSec 60 -OutFile C:\a_b.zip
HEALTHCHECK --interval=10s --timeout=5s CMD curl.exe --max-time 4 http://localhost
CMD C:\app\server.exe --idle-timeout=2m --dir C:\data_x
