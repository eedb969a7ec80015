#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>
#include <stdlib.h>
#include <errno.h>
#include <unistd.h>
#include <signal.h>
#include <time.h>
#include <sys/file.h>
#include <fcntl.h>
int x;void*w(void*a){int f=open("/dev/null",O_RDWR);flock(f,LOCK_SH);x++;flock(f,LOCK_UN);close(f);return 0;}
int main(){pthread_t t,u;pthread_create(&t,0,w,0);pthread_create(&u,0,w,0);pthread_join(t,0);pthread_join(u,0);return 0;}
