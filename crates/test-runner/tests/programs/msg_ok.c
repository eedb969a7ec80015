#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>
#include <stdlib.h>
#include <errno.h>
#include <unistd.h>
#include <signal.h>
#include <time.h>
#include <sys/ipc.h>
#include <sys/msg.h>
struct M{long t;char c;};int q,x;void*w(void*a){struct M m;msgrcv(q,&m,1,0,0);return (void*)(long)x;}
int main(){q=msgget(IPC_PRIVATE,0600);if(q<0)return 0;pthread_t t;void*r;pthread_create(&t,0,w,0);x=3;struct M m={1,'a'};msgsnd(q,&m,1,0);pthread_join(t,&r);msgctl(q,IPC_RMID,0);return r!=(void*)3;}
